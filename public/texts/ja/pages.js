import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('ja');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · 録音 · aloud`,
  chapters: '話した人',
  noChapters: '録音に同意した人で、長く話した人はいません。',
  files: 'ダウンロード',
  play: '再生',
  pause: '一時停止',
  position: '再生位置',
  positionOf: (at, all) => `${timeText(at)} / ${timeText(all)}`,
  back: '戻る',
  ahead: '進む',
  speed: '速度',
  live: 'ライブ',
  toLive: 'ライブに移動',
  running: '現在録音中です',
  copyMoment: 'この位置へのリンク',
  copied: (at) => `${timeText(at)} へのリンクをコピーしました。`,
  notCopied: 'リンクをコピーできませんでした。アドレスバーに表示されています。',
  waiting: '読み込み中…',
  failed: '音声を読み込めませんでした。接続を確認してから、「再生」を押してください。',
  cannotPlay: 'このブラウザーでは録音を再生できません。代わりにダウンロードしてください。',
  transcript: '発言の記録',
  search: '発言を検索',
  found: (count) => plural(count, { other: `${count} 件` }),
  transcriptAsFile: '発言の記録（字幕ファイル）',
  mix: '全員一緒',
  mixAsWebm: '全員一緒（WebM）',
  overWebTransport: (rate) =>
    rate === 0 ? 'WebTransport 経由' : `WebTransport 経由、${Math.round(rate / 1000)} kb/s`,
  overHttp: 'HTTP 経由',
  missing:
    'この録音は見つかりません。リンクが途中で切れているか、録音が削除された可能性があります。',
  deleted: 'この録音は削除されました。',
  unreachable: 'サーバーに接続できません。接続を確認してから、ページを再読み込みしてください。',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'ルームを開く・参加する',
  reasons: {
    'not-found': 'このアドレスには何もありません。',
    'empty-room': 'このルームには誰もいません。誰かが入ってから、もう一度お試しください。',
    banned: 'モデレーターにより、しばらくこのルームに入れなくなっています。',
    internal: 'サーバーでエラーが起き、ログに記録されました。',
  },
};
