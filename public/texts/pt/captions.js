/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: 'Legendas',
  waiting:
    'O que se diz aparece aqui, se o navegador de quem fala souber transcrever ou se um ' +
    'programa na sala o fizer.',
  byProgram: (by) => `(transcrito por ${by})`,
  translate: 'Traduzir para',
  asSpoken: 'Idioma original',
  notTranslated: 'Este navegador não consegue traduzir o que foi dito: aparece no idioma original.',
  own:
    'Alguém ativou as legendas. Este navegador transcreve o que você diz, neste dispositivo, ' +
    'e os outros podem ler.',
  stop: 'Parar de transcrever',
  install:
    'Alguém ativou as legendas. Este navegador pode transcrever o que você diz, neste ' +
    'dispositivo, depois de carregar o seu idioma.',
  load: 'Carregar',
  failed: 'Este navegador não transcreve mais o que você diz. Os outros ouvem você como antes.',
};
