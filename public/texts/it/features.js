/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: 'Sottotitoli',
  waiting:
    'Qui appare ciò che si dice, se il browser di chi parla sa trascriverlo o se lo fa un ' +
    'programma nella stanza.',
  byProgram: (by) => `(trascritto da ${by})`,
  translate: 'Traduci in',
  asSpoken: 'Lingua originale',
  notTranslated:
    'Questo browser non può tradurre ciò che è stato detto: resta nella lingua originale.',
  own:
    'Qualcuno ha attivato i sottotitoli. Questo browser trascrive ciò che dici, su questo ' +
    'dispositivo, e gli altri possono leggerlo.',
  stop: 'Smetti di trascrivere',
  install:
    'Qualcuno ha attivato i sottotitoli. Questo browser può trascrivere ciò che dici, su ' +
    'questo dispositivo, dopo aver caricato la tua lingua.',
  load: 'Caricala',
  failed: 'Questo browser non trascrive più ciò che dici. Gli altri ti sentono come prima.',
};

/** @type {typeof import('../features.js').groupTexts} */
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

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: 'Due ingressi',
  off: 'Il tuo microfono è un solo ingresso.',
  name: 'Nome dell’ingresso destro',
  second: 'Secondo ingresso',
  start: 'Usa due ingressi',
  stop: 'Usa un solo ingresso',
  on: (name) => `L’ingresso sinistro è la tua voce. Tutti sentono quello destro come «${name}».`,
  oneChannel:
    'Questo microfono ha un solo canale, quindi resta un solo ingresso. Scegli nelle ' +
    'impostazioni un dispositivo con due ingressi, poi riprova.',
  replaced: 'Ora condividi un altro suono: il tuo microfono è di nuovo un solo ingresso.',
  noMicrophone: 'Scegli prima un microfono nelle impostazioni.',
  hint:
    'Per una scheda audio con la voce a sinistra e uno strumento a destra. Entrambi vengono ' +
    'inviati senza elaborazione e sincronizzati. Ognuno regola il volume e la posizione ' +
    'dell’una e dell’altro. Usa le cuffie, altrimenti il microfono capta gli altri.',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Lingua',
  floor: 'Audio originale',
  hint: 'L’interprete si sente sopra la voce originale, che intanto si abbassa.',
  into: 'Interpreta in',
  nobody: 'Nessuna lingua: tutti sentono questa persona',
  set: 'Imposta la lingua',
  intoHint: 'Sente l’interprete solo chi sceglie quella lingua.',
};
