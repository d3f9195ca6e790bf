/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: 'Sottotitoli',
  waiting:
    'Qui appare ciò che si dice, se il browser di chi parla sa scriverlo o se lo fa un ' +
    'programma nella stanza.',
  byProgram: (by) => `(scritto da ${by})`,
  translate: 'Traduci in',
  asSpoken: 'Come parlato',
  notTranslated:
    'Questo browser non può tradurre ciò che è stato detto: resta nella lingua parlata.',
  own:
    'Qualcuno ha attivato i sottotitoli. Questo browser scrive ciò che dici, su questo ' +
    'dispositivo, e gli altri possono leggerlo.',
  stop: 'Smetti di scrivere',
  install:
    'Qualcuno ha attivato i sottotitoli. Questo browser può scrivere ciò che dici, su questo ' +
    'dispositivo, dopo aver caricato la tua lingua.',
  load: 'Caricala',
  failed: 'Questo browser non scrive più ciò che dici. Gli altri ti sentono come prima.',
};
