/** @type {typeof import('../captions.js').captionTexts} */
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
