/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Abrir uma sala ou entrar',
  reasons: {
    'not-found': 'Não há nada neste endereço.',
    'empty-room': 'Não há ninguém nesta sala. Você vai ouvi-la assim que houver alguém.',
    banned: 'A moderação baniu você desta sala por um tempo.',
    internal: 'O servidor cometeu um erro. Tente de novo em um instante.',
  },
};
