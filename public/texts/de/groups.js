/** @type {typeof import('../groups.js').groupTexts} */
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
