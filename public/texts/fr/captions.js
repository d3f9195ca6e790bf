/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: 'Sous-titres',
  waiting:
    'Les paroles s’affichent ici si le navigateur de la personne sait les transcrire, ou si ' +
    'un programme du salon le fait.',
  byProgram: (by) => `(transcrit par ${by})`,
  translate: 'Traduire en',
  asSpoken: 'Langue parlée',
  notTranslated:
    'Ce navigateur ne peut pas traduire ces paroles : elles restent dans la langue parlée.',
  own:
    'Quelqu’un a activé les sous-titres. Ce navigateur transcrit ce que vous dites, sur cet ' +
    'appareil, et les autres peuvent le lire.',
  stop: 'Ne plus transcrire',
  install:
    'Quelqu’un a activé les sous-titres. Ce navigateur peut transcrire ce que vous dites, sur ' +
    'cet appareil, une fois votre langue chargée.',
  load: 'Charger',
  failed:
    'Ce navigateur ne transcrit plus ce que vous dites. Les autres vous entendent comme avant.',
};
