import { formsOf } from '../language.js';

const { number } = formsOf('ja');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `${name} さんを管理`,
  muteForAll: '全員に対してミュート',
  muteForAllHint: 'あなたが許可するまで、本人はミュートを解除できません。',
  allowToSpeak: '発言を許可',
  allowToSpeakHint: '本人がミュートを解除するまで、ミュートのままです。',
  role: '役割',
  roleNames: { moderator: 'モデレーター', speaker: '発言者', listener: 'リスナー' },
  changeRole: '役割を変更',
  roleHint:
    'モデレーターは、あなたにできることをすべてできます。リスナーは聞き、書き、手を挙げますが、声は聞こえません。',
  remove: 'ルームから退出させる',
  removeHint: '本人は再び参加できます。',
  banFor: '入室を禁止する期間',
  banTimes: [
    [3600, '1 時間'],
    [86_400, '1 日'],
    [7 * 86_400, '1 週間'],
    [30 * 86_400, '30 日'],
  ],
  removeAndBan: '退出させて禁止',
  banHint:
    '招待によって判断します。招待がなければネットワークによります。家庭や会社全体のものかもしれません。',
  listeners: 'リスナーを探す',
  listenersShown: (shown, count) =>
    count === 0
      ? 'リスナーはいません。'
      : shown === 0
        ? `リスナー ${number(count)} 人の中に、その名前の人はいません。`
        : `リスナー ${number(count)} 人のうち ${shown} 人`,
  moreListeners: '次へ',
  firstListeners: '最初から',
  copyListenLink: 'リスナー用のリンクをコピー',
  removeListener: '退出させる',
  removeName: (name) => `${name} さんを退出させる`,
  lock: 'ルームをロック',
  lockHint: 'ほかの人は参加できません。接続が切れた人は戻れます。',
  lobby: '待合室',
  lobbyHint: '参加する人は、許可されるまで待ちます。オフにすると、待っている全員が入室します。',
  chatPermission: '書ける人',
  recordPermission: '録音できる人',
  allowed: { everybody: '全員', moderators: 'モデレーター' },
  mode: '音の届け方',
  modes: {
    mix: 'サーバーでミックス',
    forward: '転送し、各ページでミックス',
    auto: '小さいルームでは転送、それ以外はミックス',
  },
  modeHint: '転送では音が送られたまま届きますが、各ページが帯域と処理をより多く使います。',
  modeE2e:
    'このルームはエンドツーエンドで暗号化されています。音は転送され、サーバーはミックスも録音もできません。',
  password: 'パスワード',
  passwordSet: 'このルームにはパスワードがあります。変えるには別のものを入力してください。',
  passwordNone: 'このルームにパスワードはありません。設定しても、今いる人はそのままです。',
  setPassword: 'パスワードを設定',
  dropPassword: 'パスワードを削除',
  bans: '入室禁止',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `招待 ${identity}` : `ネットワーク ${network}`;
    return `${name}: ${cause} により、${end} まで`;
  },
  unban: '再び許可',
  unbanName: (name) => `${name} さんを再び許可`,
  stepDown: 'モデレーターをやめる',
  lastModerator:
    'モデレーターはあなただけです。引き継ぐには、名前のオプションで誰かをモデレーターにしてください。',
  endForAll: '全員の通話を終了',
  endQuestion: {
    title: '全員の通話を終了しますか？',
    text: 'あなたを含む全員が退出し、ルームの設定は失われます。',
    yes: '終了する',
    no: '続ける',
  },

  goLive: 'ライブ配信を開始',
  endBroadcast: '配信を終了',
  offHint:
    'ルームがライブ配信になります。今いる人はステージに残り、ルームのリンクで新しく来る人は聞くだけになります。',
  onHint:
    'このルームはライブ配信中です。リンクで新しく来る人は聞くだけです。終了すると新しい人は再び話せ、リスナーは入り直すまでリスナーのままです。',
  makeStreamKey: 'プログラムからの音を受け付ける',
  newStreamKey: '新しいキーを作る',
  revokeStreamKey: 'キーを無効にする',
  streamOffHint:
    'Mixxx、butt、Liquidsoap、ffmpeg など、Icecast サーバーに送れるものから、このルームに音を送れます。キー 1 つで 1 ' +
    'つのプログラムがステージに上がります。',
  streamOnHint:
    'プログラムで Icecast、Opus、このアドレス、ユーザー「source」、パスワードにキーを指定してください。キーを新しくするか無効にすると、送信は終わります。',
  streamAddress: 'プログラム用のアドレス',
  copyStreamAddress: 'アドレスをコピー',
  streamAddressCopied: 'アドレスをコピーしました。',
  copyStreamKey: 'キーをコピー',
  streamKeyCopied: 'キーをコピーしました。これを持つ人は、このルームに音を送れます。',
  copyStageLink: 'ステージへのリンクをコピー',
  stageLinkHint: 'このリンクを持つ人は全員話せます。次の配信では新しいリンクになります。',
};
