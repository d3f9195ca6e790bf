/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: '开一个房间，或加入房间',
  reasons: {
    'not-found': '此地址没有任何内容。',
    'empty-room': '此房间没有人。请在有人进入后再试。',
    banned: '主持人已暂时禁止你进入此房间。',
    internal: '服务器出错，已记入日志。',
  },
};
