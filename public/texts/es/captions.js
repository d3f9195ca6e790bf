/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: 'Subtítulos',
  waiting:
    'Aquí aparece lo que se dice, si el navegador de quien habla puede transcribirlo o si lo ' +
    'hace un programa de la sala.',
  byProgram: (by) => `(transcrito por ${by})`,
  translate: 'Traducir al',
  asSpoken: 'Idioma original',
  notTranslated:
    'Este navegador no puede traducir lo que se dijo: se muestra en el idioma original.',
  own:
    'Alguien ha activado los subtítulos. Este navegador transcribe lo que dices, en este ' +
    'dispositivo, y los demás pueden leerlo.',
  stop: 'Dejar de transcribir',
  install:
    'Alguien ha activado los subtítulos. Este navegador puede transcribir lo que dices, en ' +
    'este dispositivo, cuando haya cargado tu idioma.',
  load: 'Cargarlo',
  failed: 'Este navegador ya no transcribe lo que dices. Los demás te oyen como antes.',
};
