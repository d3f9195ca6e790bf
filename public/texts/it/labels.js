/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: 'Dillo',
  startTitleEnd: 'ad alta voce.',
  startLead: 'Apri una stanza, manda il link, parla. Niente da installare, nessun account.',
  startRoom: 'Apri una stanza',
  startEncrypted: 'Apri una stanza crittografata',
  startEncryptedHint:
    'End-to-end: sente solo chi ha il link intero; il server non può. Non si può registrare ' +
    'nulla.',
  joinRoom: 'Oppure entra in una stanza',
  roomPlaceholder: 'il suo nome o link',
  goToRoom: 'Vai alla stanza',
  lab: 'Il laboratorio',
  labHint: 'misura quanto impiega il suono da qui a questo server e ritorno.',

  room: 'Stanza',
  name: 'Nome',
  join: 'Partecipa',
  cancelJoin: 'Annulla',
  roomPassword: 'Password della stanza',
  knocks: 'Persone che vogliono entrare',
  hands: 'Ascoltatori che hanno alzato la mano',
  joinHint: 'Il microfono si accende quando partecipi, mai prima che tu lo chieda.',
  yourSound: 'Il tuo audio',
  soundSettings: 'Impostazioni audio',
  advanced: 'Avanzate',
  frameLength: 'Durata di un frame',
  frameAuto: 'Automatica: come dice il server',
  frame20: '20 ms: meno pacchetti',
  frame10: '10 ms: meno ritardo',
  frame5: '5 ms: per suonare insieme',
  frame2: '2,5 ms: il ritardo minimo, solo via cavo',
  frameHint:
    'La tua scelta conta se sei la prima persona nella stanza, e vale allora per tutti. I ' +
    'frame brevi si sentono prima, ma richiedono più banda e più potenza di calcolo.',
  connection: 'Connessione',
  connectionAuto: 'Automatica: la migliore che funziona',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport ha il ritardo minore. Le altre servono a reti e browser che non lo hanno, ' +
    'e per confronto.',

  language: 'Lingua',
  languageAuto: 'Automatica: quella del browser',
  languageLater: 'La pagina la userà alla prossima apertura.',

  howConnected: 'La tua connessione',
  triedBefore: 'Che cosa è stato provato prima',
  peopleInRoom: 'Persone nella stanza',
  callControls: 'Comandi della chiamata',
  alone: 'Ci sei solo tu.',
  aloneHint:
    'Manda il link a qualcuno, o fagli scansionare il codice QR. Questa pagina ti avvisa ' +
    'quando arriva qualcuno.',
  copyLink: 'Copia link',
  qrCode: 'Codice QR',
  mute: 'Silenzia',
  hand: 'Mano',
  chat: 'Chat',
  more: 'Altro',
  record: 'Registra',
  soundPanel: 'Audio',
  settings: 'Impostazioni',
  leave: 'Esci',
  close: 'Chiudi',
  recording: 'Registrazione',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'Cancellazione dell’eco',
    hint: 'Evita che gli altri sentano sé stessi. Disattivala solo con le cuffie.',
  },
  noiseSuppression: {
    label: 'Riduzione del rumore',
    hint: 'Toglie i rumori di ventole, tasti e strada.',
  },
  noiseModel: {
    label: 'Riduzione del rumore più forte',
    hint:
      'Ne toglie di più, al posto di quella del browser. Ti si sente 10 ms più tardi. Si ' +
      'carica quando la attivi.',
  },
  autoGainControl: {
    label: 'Volume automatico',
    hint: 'Alza le voci basse e abbassa quelle alte.',
  },
  music: {
    label: 'Musica',
    hint:
      'Manda il suono così com’è: le quattro opzioni qui sopra sono disattivate, e il bitrate è ' +
      'più alto.',
  },
  stereo: {
    label: 'Stereo',
    hint:
      'Tiene separate sinistra e destra, se sei la prima persona nella stanza: vale per tutti. ' +
      'Chrome ed Edge prendono il microfono in stereo solo con «Musica»; su alcuni computer il ' +
      'suono arriva allora circa 20 ms più tardi, come mostra il pannello «Audio».',
  },
  highBitrate: {
    label: 'Bitrate più alto',
    hint:
      'La tua voce è inviata a 96 kb/s, 192 in stereo. Quello che senti ha il bitrate della ' +
      'stanza.',
  },
  lossless: {
    label: 'Senza perdite, su una rete veloce',
    hint:
      'Tra chi lo attiva il suono viaggia senza compressione, nelle stanze con frame di 2,5 o ' +
      '5 ms. Servono 0,9 Mb/s in ogni direzione, il doppio in stereo, e si risparmia il ' +
      'ritardo del codec.',
  },
  lowDelay: {
    label: 'Opus a basso ritardo',
    hint:
      'Circa 4 ms di ritardo in meno per gli altri. Disattivato, i suoni deboli sono un po’ ' +
      'più fini.',
  },
  sounds: { label: 'Suoni', hint: 'Un suono leggero quando qualcuno entra o esce.' },
  captions: { label: 'Sottotitoli', hint: 'Mostra come testo ciò che si dice.' },
  shortcuts: {
    label: 'Scorciatoie da tastiera',
    hint:
      'M spegne il microfono, H alza la mano, C apre la chat, ? le mostra tutte; tieni premuto ' +
      'Spazio per parlare a microfono spento.',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'Scrivi il nome di una stanza o incolla il suo link.',
  noNameTyped: 'Scrivi il nome che gli altri vedranno.',
  nameCut: (name) => `Il nome è troppo lungo. Gli altri vedono «${name}».`,
  nameInvited: 'Questo nome è nel tuo invito.',
  join: 'Partecipa',
  joining: 'Ingresso…',
  listen: 'Ascolta',
  listenerName: 'Ascoltatore',
  listenHint:
    'Senti la stanza e nessuno sente te: non viene chiesto alcun microfono. Alza la mano per ' +
    'chiedere la parola.',
  yourOutput: 'Dove lo senti',
  microphoneLabel: 'Microfono',
  speakerLabel: 'Altoparlante',
  defaultMicrophone: 'Microfono predefinito',
  defaultSpeaker: 'Altoparlante predefinito',
  noMicrophone: 'Nessun microfono: solo ascolto',
  microphone: (number) => `Microfono ${number}`,
  speaker: (number) => `Altoparlante ${number}`,
  speakerBySystem: 'Con questo browser l’altoparlante si sceglie nelle impostazioni di sistema.',
  testMicrophone: 'Prova il mio livello',
  stopTest: 'Termina la prova',
  yourLevel: 'Il tuo livello',
  saySomething: 'Di’ qualcosa: la barra si muove con la tua voce.',
  levelHeard: 'Ti si sente.',
  levelSilent: 'Non si sente ancora nulla. È il microfono giusto, ed è acceso?',
  playTone: 'Riproduci un suono di prova leggero',
  tonePlaying:
    'Dovresti sentire due note leggere. Se no, scegli un altro altoparlante o alza il volume ' +
    'di questo dispositivo.',
  hearYourself: 'Senti la tua voce',
  hearStop: 'Smetti di sentire la tua voce',
  hearConnecting: 'Connessione al server…',
  hearing:
    'Parla: dopo due secondi il server ti rimanda la tua voce, come la sentirebbero gli ' +
    'altri.',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `Chiamata ${room}`,
  name: 'Il tuo nome',
  join: 'Partecipa',
  listen: 'Ascolta',
  joining: 'Ingresso…',
  waiting: 'In attesa che un moderatore ti faccia entrare…',
  away: 'Connessione persa. Nuovo tentativo…',
  left: 'Hai lasciato la chiamata.',
  alone: 'Ci sei solo tu.',
  people: 'Persone nella stanza',
  mute: 'Silenzia',
  leave: 'Esci',
};
