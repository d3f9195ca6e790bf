import { timeText } from '../units.js';

/** @type {typeof import('../sound.js').partTexts} */
export const partTexts = {
  microphoneMs: 'Mikrofone der anderen',
  frameMs: 'Ein Frame wird gefüllt',
  codecMs: 'Der Codec schaut voraus',
  serverDelayMs: 'Verzögerung im Server',
  laterMs: 'Verspätete hört man später um',
  wayMs: 'Weg durch das Netz',
  playoutMs: 'Wiedergabepuffer',
  outputMs: 'Warten auf die Soundkarte',
  speakerMs: 'Soundkarte und Lautsprecher',
};

/** @type {typeof import('../sound.js').savingTexts} */
export const savingTexts = {
  frameMs: 'Beginne den Raum mit Frames von 2,5 ms',
  serverDelayMs: 'Bitte die Personen, deren Ton spät kommt, ein Kabel statt WLAN zu benutzen',
  playoutMs: 'Benutze ein Kabel statt WLAN und schließe, was diesen Computer auslastet',
  outputMs: 'Benutze eine Soundkarte, die Ton in kleineren Stücken nimmt, und kein Bluetooth',
  speakerMs: 'Benutze Lautsprecher oder Kopfhörer mit Kabel, kein Bluetooth',
};

/** @type {typeof import('../sound.js').figureTexts} */
export const figureTexts = {
  received: 'Empfangener Ton, insgesamt',
  received10s: 'Empfangener Ton, letzte 10 s',
  lost: 'Verlorene Pakete',
  late: 'Verspätete Pakete',
  early: 'Zu frühe Pakete',
  duplicate: 'Doppelte Pakete',
  concealed: 'Überbrückte Frames',
  recovered: 'Frames aus Redundanz',
  gaps: 'Lücken am Lautsprecher',
  jitter: 'Jitter; was er braucht',
  drift: 'Abweichung der Soundkarte',
};

/** @type {typeof import('../sound.js').soundTexts} */
export const soundTexts = {
  soundSum: 'Alter dessen, was du hörst',
  soundSumHint: 'Die Verzögerung im Server enthält den Weg der Sprechenden zum Server.',
  soundSumDevices: 'Was die Mikrofone der anderen hinzufügen, ist nicht darin enthalten.',
  soundSumNoDevices: 'Ohne Soundkarten gerechnet: Dein Browser sagt nicht, was deine hinzufügt.',
  ownMicrophone: (ms) => `Dein eigenes Mikrofon verzögert um ${ms}, was andere von dir hören.`,
  ownSuppression: (ms) => `${ms} der Verzögerung deines Tons kommen von der Rauschunterdrückung.`,
  savings: 'Was es verkürzen würde',
  saves: (part, ms) => `${savingTexts[part]}: bis zu ${ms} ms.`,
  savesNothing:
    'Nichts, was viel helfen würde: Die Verzögerung ist etwa so gering, wie sie hier sein kann.',
  metronome: 'Metronom',
  metronomeBpm: 'Schläge pro Minute',
  metronomeBeats: 'Schläge pro Takt',
  metronomeStart: 'Für alle starten',
  metronomeStop: 'Für alle anhalten',
  metronomeTap: 'Tempo tippen',
  metronomeHeard: 'Ich höre es',
  metronomeOff: 'Es ist aus.',
  metronomeBy: (name, bpm) => `${name} hat es eingestellt: ${bpm} Schläge pro Minute.`,
  metronomeBegan: (name, bpm) => `${name} hat das Metronom gestartet: ${bpm} Schläge pro Minute.`,
  metronomeEnded: (name) => `${name} hat das Metronom angehalten.`,
  metronomeHint:
    'Alle hören jeden Schlag im selben Moment, unabhängig von ihrer Verzögerung. Wenn du auf ' +
    'den Schlag spielst, hören dich alle anderen darauf. Um das Tempo festzulegen, drücke ' +
    '„Tempo tippen“ bei jedem Schlag. Benutze Kopfhörer, sonst nimmt das Mikrofon es auf.',
  track: 'Begleitung',
  trackNone: 'Es gibt keine.',
  trackBy: (name, track, seconds) => `„${track}“, ${timeText(seconds)}, von ${name}.`,
  trackChoose: 'Datei wählen',
  trackOther: 'Andere Datei wählen',
  trackSending: 'Die Datei wird gelesen und gesendet.',
  trackPlay: 'Für alle abspielen',
  trackAgain: 'Von vorn',
  trackStop: 'Für alle anhalten',
  trackRemove: 'Entfernen',
  trackLevel: 'Wie laut ich sie höre',
  trackCame: (name, track) => `${name} hat die Begleitung „${track}“ hinzugefügt.`,
  trackBegan: (name) => `${name} spielt die Begleitung ab.`,
  trackStopped: (name) => `${name} hat die Begleitung angehalten.`,
  trackOver: 'Die Begleitung ist zu Ende.',
  trackRemoved: (name) => `${name} hat die Begleitung entfernt.`,
  trackHint:
    'Alle hören sie im selben Moment, wie das Metronom, und können dazu spielen. Solange das ' +
    'Metronom an ist, beginnt sie mit einem Takt, nach einem Takt Vorzählen. In Aufnahmen ist ' +
    'sie nicht. Benutze Kopfhörer, sonst nimmt das Mikrofon sie auf.',
  share: 'Einen Ton teilen',
  shareNone: 'Du teilst keinen.',
  shareTab: 'Ton eines Tabs teilen',
  shareFile: 'Ton einer Datei teilen',
  shareStop: 'Nicht mehr teilen',
  shareReading: 'Die Datei wird gelesen.',
  shareBegins: 'Es geht los …',
  shareOn: (name) => `Alle hören „${name}“ neben deiner Stimme.`,
  shareOver: 'Es ist zu Ende: Niemand hört es mehr.',
  shareOfTab: 'Ton eines Tabs',
  shareOfFile: 'Ton einer Datei',
  shareHint:
    'Er wird unbearbeitet neben deiner Stimme gesendet. Alle sehen ihn neben dir und stellen ' +
    'ihn so laut, wie sie wollen. Setze den Haken bei „Auch Audio des Tabs teilen“, wenn der ' +
    'Browser fragt. Ein Tab spielt hier weiter; benutze Kopfhörer, sonst nimmt das Mikrofon ' +
    'ihn auf.',
  shareFileHint:
    'Er wird unbearbeitet neben deiner Stimme gesendet. Alle sehen ihn neben dir und stellen ' +
    'ihn so laut, wie sie wollen. Den Ton eines Tabs kann dieser Browser nicht teilen; Chrome ' +
    'und Edge auf einem Computer können es.',
  own: 'Auf diesem Gerät aufnehmen',
  ownNone: 'Auf diesem Gerät wird nichts aufgenommen.',
  ownStart: 'Mein Mikrofon aufnehmen',
  ownStop: 'Beenden und behalten',
  ownOn: 'Dein Mikrofon wird auf diesem Gerät aufgenommen.',
  ownKept: 'Die Datei liegt in diesem Browser. Lade sie herunter, um sie anderswo zu verwenden.',
  ownFiles: 'Aufnahmen auf diesem Gerät',
  ownDownload: 'Herunterladen',
  ownGive: 'Zur Aufnahme des Raums geben',
  ownDelete: 'Löschen',
  ownSending: (percent) => `Wird gesendet: ${percent} %`,
  ownSent: 'Die Datei liegt jetzt bei der Aufnahme des Raums.',
  ownHint:
    'Eine WAV-Datei mit 24 Bit von deinem Mikrofon, bevor es komprimiert wird. Sie läuft ' +
    'weiter, wenn die Verbindung weg ist, und ist still, solange du stumm bist. Jede Datei ' +
    'kennt ihre Stelle auf der Uhr des Raums, sodass Schnittprogramme die Dateien aller ' +
    'Geräte genau ausrichten können.',
  ownUnsupported:
    'Dieser Browser kann so eine Datei nicht anlegen. Nimm einen aktuellen Browser, über HTTPS.',
  panelLoading: 'Wird geladen …',
  plotsLoading: 'Wird geladen …',
  plotRoundTrip: 'Hin und zurück',
  plotReceived: 'Empfangener Ton',
  plotServerDelay: 'Verzögerung im Server',
  plotPlayoutDelay: 'Verzögerung der Wiedergabe',
  plotLoss: 'Verlorene Pakete',
  plotRate: 'Bitrate',
  up: 'ausgehend',
  down: 'eingehend',
  lossUp: 'Verlorene Pakete, ausgehend',
  lossDown: 'Verlorene Pakete, eingehend',
  rateUp: 'Bitrate, ausgehend',
  rateDown: 'Bitrate, eingehend',
  figures: 'Seit der Teilnahme',
  lateness: 'Wie spät dein Ton in den letzten 20 s beim Server ankam',
  latenessUpTo: (ms) => `bis ${ms} ms`,
  latenessOver: 'mehr',
  copyAsText: 'Als Text kopieren',
  copied: 'Kopiert',
  saveAsCsv: 'Statistik als CSV speichern',
  saveAsJson: 'Statistik als JSON speichern',
  soundAge: (age) => `Was du hörst, ist ${age} alt`,
  plotLabel: (title, value) => `${title}, die letzten zwei Minuten. Jetzt ${value}.`,
  reportTitle: (room, at) => `aloud, Raum ${room}, ${at}`,
  operator: 'Für den Betreiber',
  operatorHint:
    'Mit dem Betreiber-Token des Servers stellst du die Verzögerung für alle im Raum ein.',
  operatorToken: 'Betreiber-Token',
  operatorUse: 'Verwenden',
  operatorAuto: 'Verzögerung automatisch',
  operatorDelay: 'Verzögerung des Raums im Server',
};
