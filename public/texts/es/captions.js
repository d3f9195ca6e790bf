/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: 'Subtítulos',
  waiting:
    'Aquí aparece lo que se dice, si el navegador de quien habla puede escribirlo o si lo ' +
    'hace un programa de la sala.',
  byProgram: (by) => `(escrito por ${by})`,
  translate: 'Traducir al',
  asSpoken: 'Como se habla',
  notTranslated: 'Este navegador no puede traducir lo dicho: se muestra como se habló.',
  own:
    'Alguien ha activado los subtítulos. Este navegador escribe lo que dices, en este ' +
    'dispositivo, y los demás pueden leerlo.',
  stop: 'Dejar de escribir',
  install:
    'Alguien ha activado los subtítulos. Este navegador puede escribir lo que dices, en este ' +
    'dispositivo, cuando haya cargado tu idioma.',
  load: 'Cargarlo',
  failed: 'Este navegador ya no escribe lo que dices. Los demás te oyen como antes.',
};
