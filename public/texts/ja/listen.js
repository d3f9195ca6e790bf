import { formsOf } from '../language.js';
import { connectionNames } from '../units.js';

const { list, number } = formsOf('ja');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: '聞く',
  pause: '一時停止',
  starting: '開始しています…',
  cancel: 'キャンセル',
  listeners: (count) => `リスナー ${number(count)} 人`,
  speaking: (names) =>
    names.length === 0 ? '誰も話していません。' : `${list(names)} さんが話しています。`,
  otherSound: '音楽など、声のない音です。',
  onStage: (names) =>
    names.length === 0
      ? 'まだ誰も話していません。最初に話す人から聞こえます。'
      : `ステージ: ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['ライブ'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(' · '),
  name: 'あなたの名前',
  nameHint: '手を挙げるとモデレーターに見えます。空のままでもかまいません。',
  nameInvited: 'この名前は招待に書かれています。手を挙げるとモデレーターに見えます。',
  listenerName: 'リスナー',
  password: 'ルームのパスワード',
  volume: '音量',
  near: '遅延',
  nearness: { conversation: 'ライブ', near: '少し遅れて', steady: '安定' },
  nearnessHints: {
    conversation: 'できるだけ早く: 返事をするかもしれない人に。',
    near: '0.25 秒遅れ、途切れが少なくなります。',
    steady: '2 秒遅れ、悪いネットワークでも欠けずに聞こえます。',
  },
  hand: '手を挙げる',
  handUp: '手を下ろす',
  details: '接続',
  quality: (kbps, transport, delayMs) => {
    const delay = delayMs === null ? '' : `、${(delayMs / 1000).toFixed(1)} 秒遅れ`;
    return `${connectionNames[transport] ?? transport} で ${Math.round(kbps)} kb/s${delay}`;
  },
  wholePage: 'チャットのあるページを開く',
  openRoom: 'ルームを開く',

  notOpen: 'このルームはまだ開いていません。「聞く」を押すと、誰かが話し始めたときに聞こえます。',
  ready: '「聞く」を押してください。マイクは要りません。',
  playing: '聞いています。',
  paused: '一時停止中です。今は何もダウンロードしていません。',
  resumed: '再び聞いています。',
  reconnecting: '接続が途切れました。このページを開いたままにしてください。再接続しています。',
  reconnectingLong:
    'しばらく接続がありません。このデバイスのネットワークを確認してください。つながるとすぐに音が戻ります。',
  waiting: 'モデレーターはあなたが来たことを知っています。許可されると聞こえます。',
  pressForSound: 'ブラウザーが音を止めています。このページのどこかを押してください。',
  interrupted: 'ほかのものがこのデバイスの音を使っています。自然に戻るか、どこかを押すと戻ります。',
  handRaised: '手が挙がっています。モデレーターに見えています。',
  handLowered: '手は下りています。',
  handTaken: 'モデレーターがあなたの手を下ろしました。',
  fromBeginning: '録音中です。最初から聞く',
  broadcastOver: '配信は終わりました。ルームの音は引き続き聞こえます。',
  joinCall: '通話に参加',
  ontoStage: '今から話せます。通話のページを読み込んでいます…',
  stageFailed:
    '今から話せますが、通話のページを読み込めませんでした。ネットワークを確認して「ステージへ」を押してください。',
  goOnStage: 'ステージへ',
  stageElsewhere: '今から話せます。ルームのページで話してください。',
  draining: 'サーバーがまもなく再起動します。音は自然に戻ります。',
  loadFailed:
    'このページの一部を読み込めませんでした。ネットワークを確認して、もう一度「聞く」を押してください。',
  failed: '問題が起きました。ネットワークを確認して、もう一度「聞く」を押してください。',
};
