/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: 'Legendas',
  waiting:
    'O que se diz aparece aqui, se o navegador de quem fala souber escrever ou se um programa ' +
    'na sala o fizer.',
  byProgram: (by) => `(escrito por ${by})`,
  translate: 'Traduzir para',
  asSpoken: 'Como foi falado',
  notTranslated: 'Este navegador não consegue traduzir o que foi dito: aparece como foi falado.',
  own:
    'Alguém ativou as legendas. Este navegador escreve o que você diz, neste dispositivo, e ' +
    'os outros podem ler.',
  stop: 'Parar de escrever',
  install:
    'Alguém ativou as legendas. Este navegador pode escrever o que você diz, neste ' +
    'dispositivo, depois de carregar o seu idioma.',
  load: 'Carregar',
  failed: 'Este navegador não escreve mais o que você diz. Os outros ouvem você como antes.',
};
