/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: 'Untertitel',
  waiting:
    'Hier erscheint, was gesagt wird, wenn der Browser der Sprechenden es mitschreiben kann ' +
    'oder ein Programm im Raum es tut.',
  byProgram: (by) => `(geschrieben von ${by})`,
  translate: 'Übersetzen in',
  asSpoken: 'Wie gesprochen',
  notTranslated:
    'Dieser Browser kann das Gesagte nicht übersetzen. Es steht so da, wie es gesprochen wurde.',
  own:
    'Jemand hat Untertitel eingeschaltet. Dieser Browser schreibt auf diesem Gerät mit, was ' +
    'du sagst, und die anderen können es lesen.',
  stop: 'Nicht mitschreiben',
  install:
    'Jemand hat Untertitel eingeschaltet. Dieser Browser kann auf diesem Gerät mitschreiben, ' +
    'was du sagst, sobald er deine Sprache geladen hat.',
  load: 'Laden',
  failed: 'Dieser Browser schreibt nicht mehr mit, was du sagst. Die anderen hören dich wie zuvor.',
};

/** @type {typeof import('../features.js').groupTexts} */
export const groupTexts = {
  groups: 'Gruppen',
  offHint:
    'Wer in einer Gruppe ist, hört nur diese Gruppe. Du teilst die Personen ein, oder sie ' +
    'wählen selbst, und du holst alle zurück.',
  number: 'Anzahl der Gruppen',
  evenly: 'Gleichmäßig verteilen',
  evenlyHint: 'Die Moderation bleibt im Raum.',
  choose: 'Alle dürfen wählen',
  chooseHint: 'Alle suchen sich ihre Gruppe selbst aus und dürfen wechseln.',
  open: 'Gruppen öffnen',
  callBackIn: 'Alle kommen zurück',
  callBackTimes: [
    [0, 'sofort'],
    [30, 'in 30 Sekunden'],
    [60, 'in einer Minute'],
    [300, 'in fünf Minuten'],
  ],
  callBack: 'Alle zurückholen',
  speak: 'Zu allen Gruppen sprechen',
  stopSpeaking: 'Nicht mehr zu allen sprechen',
  speakHint:
    'Alle hören dich, im Raum und in jeder Gruppe. Auch was du aus dem Raum schreibst, ' +
    'erreicht alle.',
  theRoom: 'Der Raum',
  group: (group) => `Gruppe ${group}`,
  groupWith: (group, people) => `Gruppe ${group} (${people})`,
  groupOf: (name) => `Gruppe von ${name}`,
  yourGroup: 'Deine Gruppe',
  inRoom: 'Es gibt Gruppen. Du bist im Raum.',
  inGroup: (group) => `Du bist in Gruppe ${group}. Nur sie hört dich, und du hörst nur sie.`,
  goBack: 'Zurück in den Raum',
  backIn: (time) => `In ${time} kommen alle in den Raum zurück.`,
  speaks: (name) => `${name} spricht zu allen Gruppen.`,
  youSpeak: 'Du sprichst zu allen Gruppen.',
  over: 'Die Gruppen sind beendet. Alle sind wieder im Raum.',
};

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: 'Zwei Eingänge',
  off: 'Dein Mikrofon ist ein einziger Eingang.',
  name: 'Name des rechten Eingangs',
  second: 'Zweiter Eingang',
  start: 'Zwei Eingänge verwenden',
  stop: 'Einen Eingang verwenden',
  on: (name) => `Der linke Eingang ist deine Stimme. Den rechten hören alle als „${name}“.`,
  oneChannel:
    'Dieses Mikrofon hat nur einen Kanal und bleibt deshalb ein Eingang. Wähle in den ' +
    'Einstellungen ein Gerät mit zwei Eingängen und versuche es noch einmal.',
  replaced: 'Du teilst jetzt einen anderen Ton. Dein Mikrofon ist wieder ein einziger Eingang.',
  noMicrophone: 'Wähle zuerst in den Einstellungen ein Mikrofon.',
  hint:
    'Für eine Soundkarte mit der Stimme links und einem Instrument rechts. Beide werden ' +
    'unbearbeitet und zeitgleich gesendet. Alle stellen Lautstärke und Position für beide ' +
    'einzeln ein. Benutze Kopfhörer, sonst nimmt das Mikrofon die anderen mit auf.',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Sprache',
  floor: 'Originalton',
  hint: 'Während jemand dolmetscht, ist der Originalton leiser.',
  into: 'Dolmetscht in',
  nobody: 'Keine Sprache: alle hören die Person',
  set: 'Sprache festlegen',
  intoHint: 'Wer dolmetscht, ist nur für die zu hören, die diese Sprache wählen.',
};
