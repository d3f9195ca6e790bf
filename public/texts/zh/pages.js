import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('zh');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · 录音 · aloud`,
  chapters: '谁说过话',
  noChapters: '同意录音的人都没有说很久的话。',
  files: '下载',
  play: '播放',
  pause: '暂停',
  position: '播放位置',
  positionOf: (at, all) => `${timeText(at)}，共 ${timeText(all)}`,
  back: '后退',
  ahead: '前进',
  speed: '速度',
  live: '直播',
  toLive: '转到直播',
  running: '正在录音',
  copyMoment: '此刻的链接',
  copied: (at) => `已复制指向 ${timeText(at)} 的链接。`,
  notCopied: '无法复制链接。链接在地址栏中。',
  waiting: '正在加载…',
  failed: '无法加载声音。请检查网络连接，然后点击“播放”。',
  cannotPlay: '此浏览器无法播放录音，请下载后收听。',
  transcript: '发言内容',
  search: '搜索发言内容',
  found: (count) => plural(count, { other: `${count} 处` }),
  transcriptAsFile: '发言内容（字幕文件）',
  mix: '所有人的混音',
  mixAsWebm: '所有人的混音（WebM）',
  overWebTransport: (rate) =>
    rate === 0 ? '通过 WebTransport' : `通过 WebTransport，${Math.round(rate / 1000)} kb/s`,
  overHttp: '通过 HTTP',
  missing: '没有这个录音。可能是链接不完整，或者录音已被删除。',
  deleted: '此录音已被删除。',
  unreachable: '无法连接服务器。请检查网络连接，然后重新加载页面。',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: '开一个房间，或加入房间',
  reasons: {
    'not-found': '此地址没有任何内容。',
    'empty-room': '此房间没有人。请在有人进入后再试。',
    banned: '主持人已暂时禁止你进入此房间。',
    internal: '服务器出错，已记入日志。',
  },
};
