/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'ルームを開く・参加する',
  reasons: {
    'not-found': 'このアドレスには何もありません。',
    'empty-room': 'このルームには誰もいません。誰かが入ってから、もう一度お試しください。',
    banned: 'モデレーターにより、しばらくこのルームに入れなくなっています。',
    internal: 'サーバーでエラーが起き、ログに記録されました。',
  },
};
