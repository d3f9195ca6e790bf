const LISTEN = 'Bis dahin kannst du zuhören.';

const soundFailures = {
  'no-microphone':
    'Es wurde kein Mikrofon gefunden. Schließe eines an, dann verwendet das Gespräch es von ' +
    `selbst. ${LISTEN}`,
  'microphone-refused':
    'Der Browser durfte das Mikrofon nicht benutzen. Erlaube es dieser Seite in der ' +
    'Adressleiste des Browsers und drücke im Gespräch „Mikro an“ oder wähle es unter ' +
    `„Mikrofon“. ${LISTEN}`,
  'microphone-busy':
    'Das Mikrofon ließ sich nicht öffnen. Schließe andere Programme, die es benutzen, oder ' +
    `wähle ein anderes unter „Mikrofon“, im Gespräch unter „Einstellungen“. ${LISTEN}`,
  'microphone-slow':
    'Das Mikrofon ist noch nicht bereit. Wenn der Browser danach fragt, erlaube es; oder hör ' +
    'erst einmal zu, dann wird es verwendet, sobald du es erlaubt hast.',
  'microphone-ended':
    'Vom Mikrofon kommt kein Ton mehr. Steck es neu ein oder wähle ein anderes. ' + LISTEN,
  'microphone-replaced':
    'Dein Mikrofon wurde abgezogen. Das Standardmikrofon wird benutzt, bis es wieder da ist. ' +
    'Steck es ein oder wähle ein anderes unter „Einstellungen“.',
  'microphone-back': 'Dein Mikrofon wird jetzt benutzt. Du musst nichts tun.',
  'microphone-muted':
    'Das System hat dein Mikrofon stummgeschaltet, deshalb hört dich niemand. Schalte es am ' +
    'Gerät selbst oder in den Systemeinstellungen wieder ein.',
  'microphone-insecure':
    'Browser erlauben ein Mikrofon nur auf einer sicheren Seite. Öffne diese Seite mit https:// ' +
    `oder auf localhost. ${LISTEN}`,
  'no-audio-worklet':
    'Diesem Browser fehlt AudioWorklet, das dein Mikrofon braucht. Benutze eine aktuelle Version ' +
    `von Chrome, Edge, Firefox oder Safari. ${LISTEN}`,
  'no-audio':
    'Dieser Browser kann kein Gespräch abspielen, weil ihm AudioWorklet oder WebAssembly fehlt. ' +
    'Benutze eine aktuelle Version von Chrome, Edge, Firefox oder Safari.',
  'no-worker':
    'Ein Teil dieser Seite konnte nicht geladen werden. Prüfe dein Netz, lade die Seite neu und ' +
    'nimm wieder teil.',
  'no-sound':
    'Der Browser konnte seinen Ton nicht starten. Schließe andere Tabs und Programme, die Ton ' +
    'abspielen oder aufnehmen, lade die Seite neu und nimm wieder teil.',
  'sound-blocked':
    'Der Browser hält den Ton zurück, bis du etwas drückst. Drücke „Ton einschalten“.',
  'no-output':
    'Es wurde kein Lautsprecher gefunden, oder ein anderes Programm belegt ihn. Ohne ihn kann ' +
    'dieser Browser auch kein Mikrofon benutzen. Schließe einen an oder beende das Programm; ' +
    'lade dann die Seite neu und nimm wieder teil.',
  'sound-interrupted':
    'Ein anderes Programm benutzt den Ton dieses Geräts, zum Beispiel ein Telefonanruf. Er kommt ' +
    'von selbst zurück, oder wenn du „Ton einschalten“ drückst.',
  'room-mono':
    'Dieser Raum ist mono, weil er so begonnen hat: Links und rechts klingen gleich. Für ' +
    'Stereo musst du als Erste oder Erster in einem neuen Raum sein.',
  'stereo-processed':
    'Dieser Browser macht beide Seiten eines Mikrofons gleich, solange er Echo oder Rauschen ' +
    'unterdrückt oder die Lautstärke regelt. Um in Stereo gehört zu werden, benutze Kopfhörer ' +
    'und wähle „Musik“ unter „Einstellungen“.',
  'sound-resumed':
    'Das System hatte den Ton kurz angehalten. Du und die anderen können einander wieder hören.',
  'computer-busy':
    'Dieser Computer ist für das Gespräch zu stark ausgelastet: Du bist vielleicht spät zu ' +
    'hören, und du hörst Lücken. Schließe andere Programme und Tabs, und steck das Ladegerät ' +
    'ein.',
  'speaker-replaced':
    'Dein Lautsprecher wurde abgezogen. Der Standardlautsprecher wird benutzt, bis er wieder da ' +
    'ist. Steck ihn ein oder wähle einen anderen unter „Einstellungen“.',
  'speaker-back': 'Dein Lautsprecher wird wieder benutzt. Du musst nichts tun.',
  'share-silent':
    'Was du gewählt hast, kam ohne Ton. Teile noch einmal, wähle einen Tab, und setze den ' +
    'Haken bei „Auch Audio des Tabs teilen“.',
  'share-failed':
    'Dieser Ton ließ sich nicht teilen. Wähle einen anderen Tab oder eine andere Datei, oder ' +
    'lade die Seite neu und versuche es noch einmal.',
  'pcm-off':
    'Verlustfreier Ton ist in diesem Raum nicht möglich, darum wird er wie sonst komprimiert. ' +
    'Nötig sind Frames von 2,5 oder 5 ms, WebTransport oder WebSocket und keine ' +
    'Ende-zu-Ende-Verschlüsselung: Wähle das für einen neuen Raum.',
  'own-full':
    'Auf diesem Gerät ist kein Platz mehr für die Aufnahme. Das bisher Aufgenommene bleibt: ' +
    'Lade es herunter, lösche ältere Dateien und fang neu an.',
  'own-slow':
    'Der Datenträger dieses Geräts ist zu langsam, darum ist die Aufnahme zu Ende. Das bisher ' +
    'Aufgenommene bleibt. Schließe andere Programme und fang neu an.',
  'own-rate':
    'Der Ton des Raums hat jetzt eine andere Abtastrate, darum ist die Aufnahme zu Ende. Das ' +
    'bisher Aufgenommene bleibt. Fang neu an.',
  'own-failed':
    'Die Datei lässt sich auf diesem Gerät nicht schreiben oder lesen. Verlasse das private ' +
    'Fenster, falls dies eines ist, oder lade die Seite neu und versuche es noch einmal.',
  'own-empty':
    'Es kam kein Ton, darum gibt es keine Datei. Prüfe dein Mikrofon und nimm noch einmal auf.',
  'own-not-sent':
    'Die Datei ließ sich nicht senden. Sie liegt noch auf diesem Gerät: Prüfe dein Netz und ' +
    'versuche es noch einmal.',
  'noise-model':
    'Die stärkere Rauschunterdrückung lässt sich gerade nicht benutzen, deshalb ist ' +
    'stattdessen die des Browsers eingeschaltet. Um es noch einmal zu versuchen, schalte sie ' +
    'unter „Einstellungen“ aus und ein.',
  'no-speaker':
    'Dieser Lautsprecher ließ sich nicht benutzen, deshalb bleibt der Ton, wo er war. Steck ihn ' +
    'neu ein oder wähle einen anderen.',
};

const connectionFailures = {
  'local-network':
    'Der Server dieses Raums ist in einem lokalen Netz, deshalb fragt der Browser, ob diese ' +
    'Seite sich mit Geräten dort verbinden darf. Wähle „Zulassen“, um teilzunehmen.',
  'local-network-refused':
    'Der Server dieses Raums ist in einem lokalen Netz, und der Browser lässt diese Seite ' +
    'dort mit keinem Gerät verbinden. Erlaube es über das Symbol neben der Adresse und nimm ' +
    'wieder teil.',
  'connection-failed':
    'Der Server war nicht zu erreichen. Prüfe dein Netz oder wähle unter „Erweitert“ die ' +
    'automatische Verbindung und nimm wieder teil.',
  'no-answer':
    'Der Server hat nicht rechtzeitig geantwortet. Prüfe dein Netz oder wähle unter „Erweitert“ ' +
    'die automatische Verbindung und nimm wieder teil.',
  'not-offered':
    'Der Server bietet die Verbindung nicht an, die du gewählt hast. Wähle unter „Erweitert“ die ' +
    'automatische und nimm wieder teil.',
  'no-webtransport':
    'Dieser Browser hat hier kein WebTransport. Lass die Verbindung auf „Automatisch“, dann ' +
    'nimmt sie einen WebSocket.',
  'connection-lost':
    'Die Verbindung zum Server ging verloren. Prüfe dein Netz und nimm wieder teil.',
  'session-lost': 'Die Verbindung wurde unterbrochen. Prüfe dein Netz und nimm wieder teil.',
  'session-unknown':
    'Der Server hat dieses Gespräch beendet, weil er von dieser Seite eine Weile nichts gehört ' +
    'hat. Nimm wieder teil.',
  'idle-timeout':
    'Von dieser Seite kam zu lange nichts, deshalb hat der Server das Gespräch beendet. Nimm ' +
    'wieder teil.',
  'join-timeout': 'Der Beitritt hat zu lange gedauert. Prüfe dein Netz und nimm wieder teil.',
  reconnecting:
    'Die Verbindung wurde unterbrochen. Bleib auf dieser Seite: Sie verbindet sich wieder, und ' +
    'dein Platz bleibt eine halbe Minute frei.',
  'reconnecting-long':
    'Seit einer Weile gibt es keine Verbindung, für die anderen bist du also weg. Prüfe das Netz ' +
    'dieses Geräts: Du kommst von selbst mit deinem Namen zurück, sobald eines da ist.',
  'resumed-elsewhere':
    'Dieses Gespräch geht in einem anderen Tab oder Fenster weiter. Um es hierher zu holen, nimm ' +
    'wieder teil.',
  'protocol-version':
    'Diese Seite und der Server haben verschiedene Versionen. Lade die Seite neu und nimm wieder ' +
    'teil.',
  draining:
    'Der Server wird gleich neu gestartet, und niemand Neues kann teilnehmen. Versuche es in ' +
    'einer Minute wieder.',
  'call-draining':
    'Der Server wird gleich neu gestartet. Das Gespräch wird dann unterbrochen und kommt so bald ' +
    'wie möglich zurück.',
  'server-closing':
    'Der Server wird beendet, vielleicht nur für einen Neustart. Versuche es gleich wieder.',
};

const serverFailures = {
  'bad-request': 'Der Server hat diese Seite nicht verstanden. Lade sie neu und nimm wieder teil.',
  'room-name':
    'Der Name eines Raums hat 1 bis 64 Buchstaben, Ziffern, „-“ oder „_“. Wähle einen anderen.',
  'user-name':
    'Ein Name hat 1 bis 40 Zeichen, keines davon ein Steuerzeichen. Wähle einen anderen.',
  'room-full': 'Der Raum ist voll. Warte, bis jemand geht, oder benutze einen anderen Raum.',
  'too-many-rooms':
    'Der Server hat so viele Räume, wie er erlaubt. Versuche es später oder geh in einen ' +
    'Raum, den es gibt.',
  moved: 'Der Raum ist auf eine andere Maschine des Servers umgezogen. Nimm wieder teil.',
  'cluster-unreachable':
    'Die Maschinen des Servers erreichen einander gerade nicht, und diese hat den Raum nicht. ' +
    'Versuche es gleich wieder.',
  'node-silent': 'Die Maschine, die den Raum hat, antwortet nicht. Versuche es gleich wieder.',
  'node-answer':
    'Die Maschine, die den Raum hat, hat eine unbrauchbare Antwort geschickt. Lade die Seite ' +
    'neu und versuche es wieder.',
  'server-full': 'Der Server ist voll. Versuche es später wieder.',
  'too-many-requests':
    'Aus deinem Netz kamen zu viele Anfragen. Warte einen Moment und versuche es wieder.',
  'host-not-allowed':
    'Der Server antwortet nicht auf den Namen in der Adressleiste. Der Betreiber kann ihn mit ' +
    '--hostname zulassen.',
  'origin-not-allowed':
    'Der Server nimmt keine Seiten anderer Hosts an. Öffne die Seite an der Adresse des Servers.',
  'content-type':
    'Der Server hat die Daten dieser Seite nicht angenommen. Lade die Seite neu und versuche ' +
    'es wieder.',
  'body-too-large': 'Das war mehr, als der Server auf einmal annimmt. Sende weniger.',
  'room-reopened': 'Der Raum wird neu geöffnet. Du bist gleich wieder da.',
  'server-busy':
    'Der Server ist überlastet und lässt niemanden herein, bis die Personen in seinen Räumen ' +
    'wieder gut zu hören sind. Versuche es gleich wieder.',
  'join-flood':
    'Aus deinem Netz wollten zu viele auf einmal teilnehmen. Warte einen Moment und nimm wieder ' +
    'teil.',
  'not-found': 'In diesem Raum ist gerade niemand. Nimm wieder teil oder prüfe den Link.',
  'operator-off':
    'Auf diesem Server lässt sich die Verzögerung nicht ändern. Der Betreiber kann das mit ' +
    '--operator-token einschalten.',
  'operator-token': 'Das ist nicht das Betreiber-Token des Servers. Gib es noch einmal ein.',
  'operator-offline':
    'Der Server war nicht zu erreichen, deshalb wurde nichts geändert. Prüfe dein Netz und ' +
    'versuche es wieder.',
  'captions-off':
    'Niemand in diesem Raum möchte Untertitel. Schalte sie zuerst in den Einstellungen ein.',
  'captions-taken':
    'Ein anderes Programm schreibt schon die Untertitel dieses Raums. Beende dieses zuerst.',
  'caption-long': 'Ein Untertitel hat höchstens 240 Zeichen. Teile lange Sätze auf.',
  'chat-flood':
    'Du schreibst schnell. Warte einen Moment: Deine Nachrichten werden einzeln gesendet.',
  'chat-offline':
    'Gerade gibt es keine Verbindung. Deine Nachricht wartet hier und wird gesendet, sobald du ' +
    'wieder verbunden bist.',
  'chat-full':
    'Zu viele Nachrichten warten aufs Senden. Warte, bis sie gesendet sind, und sende dann diese.',
  'tracks-full':
    'Der Server hat gerade keinen Platz für eine weitere Begleitung. Entferne eine, die nicht ' +
    'mehr gebraucht wird, oder nimm eine kürzere.',
  'track-unreadable':
    'Dieser Browser kann die Datei nicht als Ton lesen. Wähle eine MP3-, WAV-, Ogg-, M4A- oder ' +
    'FLAC-Datei.',
  'track-too-long': 'Das ist länger als eine Viertelstunde. Wähle eine kürzere Datei.',
  'track-not-sent':
    'Die Begleitung konnte nicht zum Server gesendet werden. Prüfe dein Netz und füge sie noch ' +
    'einmal hinzu.',
  'track-not-heard':
    'Die Begleitung konnte nicht heruntergeladen werden, deshalb hörst du sie nicht. Prüfe dein ' +
    'Netz.',
  'recording-off':
    'Auf diesem Server kann nichts aufgenommen werden. Der Betreiber kann das mit ' +
    '--recording-limit einschalten.',
  'recording-limit':
    'Der Server hat keinen Platz für weitere Aufnahmen. Lade herunter, was du brauchst, und ' +
    'warte, bis ältere gelöscht sind.',
  'recording-share':
    'Dein Raum, du oder dein Netz haben ihren Anteil am Platz für Aufnahmen verbraucht. Lade ' +
    'herunter, was du brauchst, und warte, bis ältere gelöscht sind.',
  'recording-others':
    'Nur wer die Aufnahme gestartet hat oder die Moderation kann sie beenden. Deine eigene ' +
    'Stimme fehlt darin, wenn du „Mich aufnehmen“ ausschaltest.',
  'recording-failed':
    'Die Aufnahme konnte nicht geschrieben werden und ist beendet. Was vorher aufgenommen wurde, ' +
    'bleibt; starte eine neue oder frage den Betreiber des Servers.',
  'recording-ended-away':
    'Die Aufnahme endete, während du keine Verbindung hattest. Wer aufnehmen darf, kann eine ' +
    'neue starten.',
  'own-refused':
    'Nur wer aufgenommen wurde, kann der Aufnahme des Raums eine Datei beifügen, nach ihrem ' +
    'Ende, und höchstens fünf. Schicke die Datei auf anderem Weg an die Person, die ' +
    'eingeladen hat.',
  'own-invalid':
    'Der Server konnte die Datei nicht verwenden. Lade sie herunter und schicke sie auf ' +
    'anderem Weg an die Person, die eingeladen hat.',
  'recording-deleted':
    'Die Aufnahme wurde gelöscht. Bitte die Person, die sie gemacht hat, um eine Kopie.',
  'range-beyond': 'Die Datei ist kürzer. Lade die Seite neu.',
  'recording-busy':
    'Die Aufnahme wurde zu oft gestartet und beendet. Warte einen Moment und starte sie dann.',
  'recording-files':
    'Die Dateien der Aufnahme konnten nicht heruntergeladen werden. Öffne „Aufnehmen“ gleich ' +
    'noch einmal oder frage den Betreiber des Servers.',
  'panel-failed':
    'Dieser Bereich konnte nicht geladen werden. Prüfe dein Netz, schließe ihn und öffne ihn ' +
    'noch einmal.',
  'plots-failed':
    'Die Diagramme konnten nicht geladen werden. Schließe diesen Bereich und öffne ihn noch ' +
    'einmal.',
  'qr-failed':
    'Der QR-Code konnte nicht erzeugt werden. Prüfe dein Netz und drücke noch einmal, oder ' +
    'kopiere den Link.',
  'copy-failed':
    'Der Browser hat das Kopieren nicht erlaubt. Kopiere den Link aus der Adressleiste, oder ' +
    'markiere den Text selbst.',
  internal:
    'Der Server hat einen Fehler gemacht, der in seinem Protokoll steht. Nimm gleich wieder ' +
    'teil. Wenn es noch einmal geschieht, sag es dem Betreiber des Servers.',
  unknown: 'Etwas Unerwartetes ist schiefgegangen. Lade die Seite neu und nimm wieder teil.',
};

const accessFailures = {
  'token-missing':
    'Zum Teilnehmen brauchst du hier eine Einladung. Bitte die Person, die das Gespräch leitet, ' +
    'um einen Link mit Token.',
  'token-invalid':
    'Die Einladung im Link ist nicht gültig. Kopiere den ganzen Link noch einmal, oder bitte um ' +
    'einen neuen.',
  'token-expired':
    'Die Einladung ist abgelaufen. Bitte die Person, die dich eingeladen hat, um einen neuen Link.',
  'token-early': 'Die Einladung gilt noch nicht. Versuche es wieder, wenn das Gespräch beginnt.',
  'token-endless':
    'Die Einladung hat kein Ende, deshalb nimmt der Server sie nicht an. Bitte die Person, die ' +
    'dich eingeladen hat, um einen neuen Link.',
  'token-foreign':
    'Die Einladung ist nicht für diesen Server. Prüfe den Link, oder bitte um einen neuen.',
  'token-room':
    'Die Einladung gilt nicht für diesen Raum. Benutze den Link des Raums, in den du eingeladen ' +
    'bist.',
  banned:
    'Die Moderation hat dich für eine Weile aus diesem Raum ausgeschlossen. Frag nach, wenn du ' +
    'das für einen Irrtum hältst.',
  removed: 'Die Moderation hat dich aus dem Raum entfernt. Frag nach, bevor du wieder teilnimmst.',
  'room-locked':
    'Der Raum ist abgeschlossen. Bitte jemanden darin, ihn zu öffnen, und nimm dann teil.',
  'password-missing': 'Der Raum hat ein Passwort. Gib es ein und nimm dann teil.',
  'password-wrong': 'Das ist nicht das Passwort des Raums. Gib es noch einmal ein.',
  'password-flood':
    'Das Passwort wurde zu oft versucht. Warte eine Minute und versuche es dann wieder.',
  'lobby-full': 'Zu viele Personen warten auf Einlass in diesen Raum. Versuche es später wieder.',
  'turned-away':
    'Du wurdest nicht in den Raum gelassen. Frag die Moderation und nimm dann wieder teil.',
  'stream-key':
    'Das ist nicht der Sendeschlüssel des Raums. Kopiere ihn im Bereich „Raum“ und wähle den ' +
    'Benutzer source.',
  'stream-taken':
    'Ein anderes Programm sendet mit dem Sendeschlüssel in diesen Raum. Beende es und sende dann ' +
    'noch einmal.',
  'stream-format':
    'Was gesendet wird, ist nicht Opus in Ogg. Wähle im sendenden Programm Opus als Format.',
  'stream-stalled':
    'Zu lange kam kein Ton, deshalb wurde das Senden beendet. Beginne noch einmal damit.',
  'offer-without-opus':
    'Das Angebot enthält kein Opus für den Server. Wähle im sendenden Programm Opus als Format.',
  'webrtc-off':
    'Auf diesem Server ist WebRTC aus. Bitte den Betreiber, ihn mit --webrtc zu starten.',
  'ban-place':
    'Die Person wurde entfernt, konnte aber nicht gesperrt werden: Sie kommt von der Maschine ' +
    'des Servers selbst und hat kein Token.',
  'room-ended':
    'Die Moderation hat das Gespräch für alle beendet. Um weiterzureden, nimm wieder teil.',
  'not-allowed': 'Das darfst du in diesem Raum nicht. Frag die Moderation.',
  'person-unknown': 'Diese Person ist nicht mehr im Raum. Du musst nichts tun.',
  'forward-only':
    'Dieser Raum leitet Ton ungemischt weiter, was über HTTP/1 nicht geht. Wähle unter ' +
    '„Erweitert“ eine andere Verbindung, oder einen anderen Browser.',
  'forward-reply':
    'Jemand hier ist über HTTP/1 verbunden oder hört nur zu, und dorthin kann Ton nicht ' +
    'weitergeleitet werden. Wähle „In kleinen Räumen weitergeleitet, sonst gemischt“, oder ' +
    'versuche es wieder, wenn diese Personen gegangen sind.',
  'broadcast-mix':
    'Dieser Raum kann nicht live gehen, weil der Server seinen Ton nicht mischt. Lass ihn unter ' +
    '„Raum“ mischen, oder öffne einen anderen Raum.',
  'groups-limit': 'So viele Gruppen kann ein Raum nicht haben. Öffne höchstens 20.',
  'group-unknown': 'Diese Gruppe gibt es nicht mehr. Wähle eine, die offen ist.',
  'groups-broadcast':
    'Ein Raum kann nicht zugleich live sein und Gruppen haben. Beende zuerst die Übertragung ' +
    'oder die Gruppen.',
  'language-tag': 'Das ist kein Kürzel einer Sprache. Wähle eine aus der Liste.',
  'languages-limit': 'Es wird schon in acht Sprachen gedolmetscht. Beende zuerst eine davon.',
  'language-broadcast': 'Gedolmetscht wird nur in einer Übertragung. Geh zuerst live.',
  'language-unknown': 'In diese Sprache dolmetscht gerade niemand. Wähle eine, die es gibt.',
  'language-relay': 'Auf diesem Server wird nicht gedolmetscht. Du hörst weiter den Originalton.',
  'e2e-room':
    'Dieser Raum ist Ende zu Ende verschlüsselt, deshalb kann der Server ihn nicht mischen oder ' +
    'aufnehmen. Öffne dafür einen anderen Raum.',
  'e2e-only':
    'Dieser Raum ist Ende zu Ende verschlüsselt, und deinem Link fehlt der Schlüssel. Bitte um ' +
    'den ganzen Link, mit dem, was hinter dem „#“ steht.',
  'e2e-not-here':
    'Dein Link hat einen Schlüssel, aber dieser Raum ist nicht Ende zu Ende verschlüsselt. Öffne ' +
    'einen anderen Raum, oder öffne den Link ohne das, was hinter dem „#“ steht.',
  'e2e-key':
    'Die anderen benutzen einen anderen Schlüssel als dein Link, deshalb hört ihr einander ' +
    'nicht. Bitte sie um den ganzen Link.',
  'muted-by-moderator':
    'Die Moderation hat dich stummgeschaltet. Hebe die Hand, wenn du sprechen willst.',
};

/** @type {typeof import('../failures.js').failureTexts} */
export const failureTexts = {
  ...soundFailures,
  ...connectionFailures,
  ...serverFailures,
  ...accessFailures,
};

/** @type {typeof import('../failures.js').reasons} */
export const reasons = {
  'no-answer':
    'Es kam nicht rechtzeitig eine Antwort: Vielleicht sperrt das Netz diese Verbindung.',
  slower: 'Es war noch keine Antwort da, als eine andere bereit war.',
  'not-offered': 'Der Server bietet sie nicht an.',
  'no-webtransport': 'Dieser Browser hat kein WebTransport.',
  'connection-lost': 'Sie wurde geöffnet, aber nichts kam hindurch.',
  other: 'Sie ließ sich nicht öffnen.',
};
