/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Abrir uma sala ou entrar',
  reasons: {
    'not-found': 'Não há nada neste endereço.',
    'empty-room': 'Não há ninguém nesta sala. Tente de novo quando houver alguém.',
    banned: 'A moderação baniu você desta sala por um tempo.',
    internal: 'Ocorreu um erro no servidor, que está no registro dele.',
  },
};
