/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: 'Sag es',
  startTitleEnd: 'laut.',
  startLead: 'Raum öffnen, Link verschicken, reden. Nichts zu installieren, kein Konto.',
  startRoom: 'Raum öffnen',
  startEncrypted: 'Verschlüsselten Raum öffnen',
  startEncryptedHint:
    'Ende zu Ende: Nur wer den ganzen Link hat, kann mithören; der Server kann es nicht. ' +
    'Aufnahmen sind nicht möglich.',
  joinRoom: 'Oder in einen Raum gehen',
  roomPlaceholder: 'sein Name oder Link',
  goToRoom: 'Zum Raum',
  lab: 'Das Labor',
  labHint: 'misst, wie lange der Ton von hier zu diesem Server und zurück braucht.',

  room: 'Raum',
  name: 'Name',
  join: 'Teilnehmen',
  cancelJoin: 'Abbrechen',
  roomPassword: 'Passwort des Raums',
  knocks: 'Personen, die hereinwollen',
  hands: 'Zuhörende, die die Hand gehoben haben',
  joinHint:
    'Dein Mikrofon wird erst eingeschaltet, wenn du teilnimmst, und nie, ohne dass du es willst.',
  yourSound: 'Dein Ton',
  soundSettings: 'Toneinstellungen',
  advanced: 'Erweitert',
  frameLength: 'Länge eines Frames',
  frameAuto: 'Automatisch: wie der Server es vorgibt',
  frame20: '20 ms: die wenigsten Pakete',
  frame10: '10 ms: weniger Verzögerung',
  frame5: '5 ms: zum gemeinsamen Musizieren',
  frame2: '2,5 ms: die geringste Verzögerung, nur mit Kabel',
  frameHint:
    'Deine Wahl zählt, wenn du als Erste oder Erster im Raum bist, und gilt dann für alle ' +
    'dort. Kürzere Frames sind eher zu hören, brauchen aber mehr Bandbreite und Rechenzeit.',
  connection: 'Verbindung',
  connectionAuto: 'Automatisch: die beste, die funktioniert',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport hat die geringste Verzögerung. Die anderen sind für Netze und Browser ohne ' +
    'WebTransport und zum Vergleichen.',

  language: 'Sprache',
  languageAuto: 'Automatisch: wie im Browser',
  languageLater: 'Die Seite verwendet sie, wenn du sie das nächste Mal öffnest.',

  howConnected: 'Wie du verbunden bist',
  triedBefore: 'Was vorher versucht wurde',
  peopleInRoom: 'Personen im Raum',
  callControls: 'Bedienung des Gesprächs',
  alone: 'Außer dir ist niemand hier.',
  aloneHint:
    'Schick jemandem den Link oder lass den QR-Code scannen. Diese Seite sagt dir, wenn jemand ' +
    'dazukommt.',
  copyLink: 'Link kopieren',
  qrCode: 'QR-Code',
  mute: 'Stumm',
  hand: 'Melden',
  chat: 'Chat',
  more: 'Mehr',
  record: 'Aufnehmen',
  soundPanel: 'Ton',
  settings: 'Einstellungen',
  leave: 'Gehen',
  close: 'Schließen',
  recording: 'Aufnahme',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'Echounterdrückung',
    hint: 'Verhindert, dass die anderen sich selbst hören. Schalte sie nur mit Kopfhörern aus.',
  },
  noiseSuppression: {
    label: 'Rauschunterdrückung',
    hint: 'Entfernt Geräusche von Lüfter, Tastatur und Straße.',
  },
  noiseModel: {
    label: 'Stärkere Rauschunterdrückung',
    hint:
      'Entfernt mehr davon, anstelle der des Browsers. Du bist 10 ms später zu hören. Sie wird ' +
      'geladen, wenn du sie einschaltest.',
  },
  autoGainControl: {
    label: 'Automatische Lautstärke',
    hint: 'Macht leise Stimmen lauter und laute leiser.',
  },
  music: {
    label: 'Musik',
    hint:
      'Sendet den Ton, wie er ist: Die vier Schalter darüber sind aus, und die Bitrate ist ' +
      'höher.',
  },
  stereo: {
    label: 'Stereo',
    hint:
      'Hält links und rechts getrennt, wenn du als Erste oder Erster im Raum bist; es gilt dann ' +
      'für alle dort. Chrome und Edge nehmen dein Mikrofon nur mit „Musik“ in Stereo auf; manche ' +
      'Computer liefern den Ton dann etwa 20 ms später, wie im Bereich „Ton“ zu sehen ist.',
  },
  highBitrate: {
    label: 'Höhere Bitrate',
    hint:
      'Deine Stimme wird mit 96 kb/s gesendet, in Stereo mit 192. Was du hörst, hat die Bitrate ' +
      'des Raums.',
  },
  lossless: {
    label: 'Verlustfrei, im schnellen Netz',
    hint:
      'Zwischen allen, die es einschalten, wird der Ton in Räumen mit Frames von 2,5 oder 5 ms ' +
      'nicht komprimiert. Das braucht 0,9 Mb/s je Richtung, in Stereo doppelt so viel, und ' +
      'spart die Verzögerung des Codecs.',
  },
  lowDelay: {
    label: 'Opus mit wenig Verzögerung',
    hint:
      'Etwa 4 ms weniger Verzögerung für die anderen. Ist es ausgeschaltet, klingen leise Töne ' +
      'etwas feiner.',
  },
  sounds: { label: 'Klänge', hint: 'Ein leiser Klang, wenn jemand kommt oder geht.' },
  captions: { label: 'Untertitel', hint: 'Zeigt als Text, was gesagt wird.' },
  shortcuts: {
    label: 'Tastenkürzel',
    hint:
      'M schaltet stumm, H hebt die Hand, C öffnet den Chat, ? zeigt alle; halte die Leertaste, ' +
      'um trotz Stummschaltung zu sprechen.',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'Gib den Namen eines Raums ein oder füge seinen Link ein.',
  noNameTyped: 'Gib den Namen ein, den die anderen sehen sollen.',
  nameCut: (name) => `Der Name ist zu lang. Die anderen sehen „${name}“.`,
  nameInvited: 'Deine Einladung gibt diesen Namen vor.',
  join: 'Teilnehmen',
  joining: 'Du kommst gleich hinein …',
  listen: 'Zuhören',
  listenerName: 'Gast',
  listenHint:
    'Du hörst den Raum, und niemand hört dich: Ein Mikrofon wird nicht gebraucht. Wenn du ' +
    'sprechen willst, hebe die Hand.',
  yourOutput: 'Wo du es hörst',
  microphoneLabel: 'Mikrofon',
  speakerLabel: 'Lautsprecher',
  defaultMicrophone: 'Standardmikrofon',
  defaultSpeaker: 'Standardlautsprecher',
  noMicrophone: 'Kein Mikrofon: nur zuhören',
  microphone: (number) => `Mikrofon ${number}`,
  speaker: (number) => `Lautsprecher ${number}`,
  speakerBySystem: 'In diesem Browser wählst du den Lautsprecher in den Systemeinstellungen.',
  testMicrophone: 'Lautstärke testen',
  stopTest: 'Test beenden',
  yourLevel: 'Deine Lautstärke',
  saySomething: 'Sag etwas: Der Balken bewegt sich mit deiner Stimme.',
  levelHeard: 'Man kann dich hören.',
  levelSilent: 'Noch ist nichts zu hören. Ist es das richtige Mikrofon, und ist es eingeschaltet?',
  playTone: 'Leisen Testton abspielen',
  tonePlaying:
    'Du solltest zwei leise Töne hören. Wenn nicht, wähle einen anderen Lautsprecher oder stelle ' +
    'dieses Gerät lauter.',
  hearYourself: 'Sich selbst hören',
  hearStop: 'Nicht mehr sich selbst hören',
  hearConnecting: 'Verbindung zum Server wird aufgebaut …',
  hearing:
    'Sprich: Nach zwei Sekunden schickt der Server deine Stimme zurück, so wie die anderen sie ' +
    'hören würden.',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `Gespräch ${room}`,
  name: 'Dein Name',
  join: 'Teilnehmen',
  listen: 'Zuhören',
  joining: 'Verbindung wird aufgebaut …',
  waiting: 'Warten, bis die Moderation dich hereinlässt …',
  away: 'Verbindung verloren. Neuer Versuch …',
  left: 'Du hast das Gespräch verlassen.',
  alone: 'Außer dir ist niemand hier.',
  people: 'Personen im Raum',
  mute: 'Stumm',
  leave: 'Gehen',
};
