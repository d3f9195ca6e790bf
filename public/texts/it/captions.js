/** @type {typeof import('../captions.js').captionTexts} */
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
