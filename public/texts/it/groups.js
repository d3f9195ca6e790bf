/** @type {typeof import('../groups.js').groupTexts} */
export const groupTexts = {
  groups: 'Gruppi',
  offHint:
    'In un gruppo si sente solo quel gruppo. Distribuisci tu le persone, oppure scelgono ' +
    'loro, e tu richiami tutti.',
  number: 'Numero di gruppi',
  evenly: 'Distribuisci in parti uguali',
  evenlyHint: 'I moderatori restano nella stanza.',
  choose: 'Lascia scegliere tutti',
  chooseHint: 'Ognuno sceglie il suo gruppo e può cambiarlo.',
  open: 'Apri i gruppi',
  callBackIn: 'Tutti tornano',
  callBackTimes: [
    [0, 'subito'],
    [30, 'tra 30 secondi'],
    [60, 'tra un minuto'],
    [300, 'tra cinque minuti'],
  ],
  callBack: 'Richiama tutti',
  speak: 'Parla a tutti i gruppi',
  stopSpeaking: 'Smetti di parlare a tutti',
  speakHint:
    'Ti sentono tutti, nella stanza e in ogni gruppo. Anche quello che scrivi dalla stanza ' +
    'arriva a tutti.',
  theRoom: 'La stanza',
  group: (group) => `Gruppo ${group}`,
  groupWith: (group, people) => `Gruppo ${group} (${people})`,
  groupOf: (name) => `Gruppo di ${name}`,
  yourGroup: 'Il tuo gruppo',
  inRoom: 'Ci sono gruppi aperti. Sei nella stanza.',
  inGroup: (group) => `Sei nel gruppo ${group}. Ti sente solo quel gruppo, e senti solo quello.`,
  goBack: 'Torna nella stanza',
  backIn: (time) => `Tutti tornano nella stanza tra ${time}.`,
  speaks: (name) => `${name} parla a tutti i gruppi.`,
  youSpeak: 'Stai parlando a tutti i gruppi.',
  over: 'I gruppi sono finiti. Tutti sono di nuovo nella stanza.',
};
