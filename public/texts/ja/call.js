import { formsOf } from '../language.js';
import { connectionNames, timeText } from '../units.js';

const { list, number } = formsOf('ja');

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'あなた',
  muted: 'ミュート中',
  away: '不在: 接続が切れました。戻るかもしれません',
  handRaised: '挙手中',
  notRecorded: '録音されていません',
  sharedBy: (name) => `${name} さんが共有`,
  shareCame: (name) => `${name} さんが音を共有しています。`,
  shareWent: (name) => `${name} さんが音の共有をやめました。`,
  waited: (ms) => `${Math.round(ms)} ms 遅れて届き、全員の音が待っています`,
  later: (ms) => `ほかの人より ${Math.round(ms)} ms 遅れて聞こえます`,
  youLater: (ms) => `相手にはあなたの声が ${Math.round(ms)} ms 遅れて聞こえます`,
  heardAfter: (ms) => `話してから ${Math.round(ms)} ms 後に聞こえます`,
  waitedFor: (names) =>
    `${list(names)} さんの音が遅れて届くため、多くの人に必要な遅延より長くなっています。`,
  mute: 'ミュート',
  unmute: 'ミュート解除',
  talking: '話しています',
  raiseHand: '手を挙げる',
  lowerHand: '手を下ろす',
  linkCopied: 'コピーしました',
  dismiss: '閉じる',
  tryNow: '今すぐ試す',
  trying: '試しています…',
  tryingIn: (seconds) => `${seconds} 秒後にもう一度試します。`,
  close: '閉じる',
  reconnected: '再び接続しました。',
  offline: '接続が切れました',
  titleOffline: '接続切れ',
  useIt: '使う',
  deviceNew: (device) => `${device} が接続されました。使うか、今のまま続けられます。`,
  otherTab: {
    title: 'すでにこのルームにいます',
    text: 'このブラウザーの別のタブかウィンドウが通話中です。両方で参加すると、互いの音が聞こえてしまいます。通話をここに移すと、もう一方は退出します。',
    yes: 'ここに移す',
    no: 'キャンセル',
  },
  keysTitle: '通話中のキー',
  keysHint: '入力中は働きません。「設定」でオフにできます。',
  showKeys: 'すべてのキーを表示',
  keys: [
    ['M', 'ミュートする、解除する'],
    ['スペース長押し', 'ミュート中に話す'],
    ['H', '手を挙げる、下ろす'],
    ['C', 'チャットを開く、閉じる'],
    ['?', 'このキー一覧を表示'],
    ['Esc', '開いているものを閉じる'],
  ],
  qrTitle: '読み取って参加',
  qrLabel: 'このルームのリンクの QR コード',
  youJoined: '通話に参加しました。',
  youLeft: '通話から退出しました。',
  howBack: '通話から退出しました。同じリンクでいつでも再び参加できます。',
  youMuted: 'ミュートしました。',
  youUnmuted: 'ミュートを解除しました。',
  more: (name) => `${name} さんのオプション`,
  sideLeft: '左',
  sideRight: '右',
  placeOf: (name) => `${name} さんの位置、左から右`,
  place: (percent) =>
    percent === 0 ? '中央' : `${percent < 0 ? '左' : '右'}へ ${Math.abs(percent)} %`,
  volumeOf: (name) => `${name} さんの音量`,
  muteForMe: '自分にだけミュート',
  mutedForYou: 'あなたにはミュート中',
  quality: ['', '接続が悪い', '接続は普通', '接続は良好'],
  people: (count) => `${count} 人`,
  listenersToo: (count) => `聴衆 ${number(count)} 人`,
  speaking: (names) => (names.length === 0 ? '誰も話していません' : `話しています: ${list(names)}`),
  manyCame: (count) => `${count} 人が参加しました。`,
  manyLeft: (count) => `${count} 人が退出しました。`,
  soundOn: '音をオンにする',
  listenFirst: 'まず聞く',
  joined: (name) => `${name} さんが参加しました。`,
  left: (name) => `${name} さんが退出しました。`,
  nowMuted: (name) => `${name} さんがミュートしました。`,
  nowUnmuted: (name) => `${name} さんがミュートを解除しました。`,
  nowAway: (name) => `${name} さんの接続が切れました。`,
  nowBack: (name) => `${name} さんが戻りました。`,
  raisedHand: (name) => `${name} さんが手を挙げました。`,
  loweredHand: (name) => `${name} さんが手を下ろしました。`,
  connectedOver: (connection) => `${connectionNames[connection] ?? connection} で接続中`,
  notTaken: (connection, reason) => `先に ${connectionNames[connection]} を試しました。${reason}`,
  roundTrip: (ms) => `往復 ${Math.round(ms)} ms`,
  received: (percent) => `受信 ${percent.toFixed(percent >= 99.95 ? 0 : 1)} %`,
  delay: (ms) => `遅延 ${Math.round(ms)} ms`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'メッセージ',
  chatEmpty:
    'まだ何も書かれていません。メッセージはルームの全員に見えます。後から来た人にも見えます。',
  chatField: '全員へのメッセージ',
  chatPlaceholder: '全員に書く',
  send: '送信',
  showAll: 'すべて表示',
  showLess: '一部だけ表示',
  messageCut: 'このメッセージは長すぎたため、終わりが切られました。',
  chatFrom: (name, text) => `${name} さん: ${text}`,
  charactersLeft: (count) => `あと ${count} 文字入ります。`,
  tooLong: (count) => `${count} 文字長すぎます。短くするか、2 つに分けて送ってください。`,
  chatUnread: (count) => `未読 ${count} 件`,
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: '録音中',
  recordButtonOn: '録音: 録音中です',
  recordingIdle: '録音していません。開始すると全員に確認し、同意した人だけが録音されます。',
  recordingFinishing: '録音は停止しました。ファイルを仕上げています。',
  recordingReady: '録音のファイルができました。',
  startRecording: '録音を開始',
  stopRecording: '録音を停止',
  recordMe: '自分を録音する',
  recordPublic: '誰でも聞ける',
  recordingPage: '録音のページ',
  recordedFiles: 'ファイル',
  recordedMix: '全員の音',
  filesHint:
    'Ogg Opus。しばらくするとサーバーが削除します。残したいものはダウンロードしてください。',
  consent: (name) => ({
    title: 'このルームは録音されます',
    text:
      `${name} さんが録音を始めました。あなたの声は、同意した場合だけ残ります。` +
      '「録音」でいつでも変更できます。',
    yes: '同意する',
    no: '自分を録音しない',
  }),
  recordingSince: (name, time) => `${name} さんが ${time} から録音しています。`,
  recordingBegan: (name) => `${name} さんが録音を始めました。`,
  recordingEnded: (name) => `${name} さんが録音を停止しました。`,
  recordedPeople: (names) =>
    names.length === 0 ? '誰も録音されていません。' : `録音中: ${list(names)}。`,
  fileSize: (since, seconds, bytes) => {
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
    return `${since}、${timeText(seconds)} 分、${size}`;
  },
};
