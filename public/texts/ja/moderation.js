import { formsOf } from '../language.js';

const { list } = formsOf('ja');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: '入室を待っています…',
  waitingInLobby:
    'モデレーターはあなたが来たことを知っています。このページを開いたままにしてください。許可されると入室します。',
  roles: { moderator: 'モデレーター', listener: 'リスナー' },
  mutedByModerator: 'モデレーターがミュート',
  ofGroup: (group) => `グループ ${group}`,
  interprets: (language) => `${language} に通訳`,
  nowModerates: (name) => `${name} さんがモデレーターになりました。`,
  cannotSpeak:
    'あなたはリスナーで、声は誰にも聞こえません。話したいときは手を挙げて、モデレーターに頼んでください。',
  onStage:
    'あなたはステージにいて、ミュートされています。話すには「ミュート解除」を押してください。',
  moderate: '管理…',
  lowerTheirHand: '手を下ろさせる',
  handsUp: (count) => `${count} 人のリスナーが手を挙げています。`,
  moreHands: (count) => `ほか ${count} 人`,
  letSpeak: '話してもらう',
  letSpeakName: (name) => `${name} さんに話してもらう`,
  lowerHandOf: (name) => `${name} さんの手を下ろす`,
  roomPanel: 'ルーム',
  knocked: (names) => `${list(names)} さんが入室を希望しています。`,
  letIn: '入室を許可',
  turnAway: '断る',
  letInName: (name) => `${name} さんの入室を許可`,
  turnAwayName: (name) => `${name} さんを断る`,
  ruleSigns: { locked: 'ロック中', lobby: '待合室あり', password: 'パスワードあり' },
  e2eSign: 'エンドツーエンド暗号化',
  roomLocked: 'ルームはロックされています。',
  roomUnlocked: 'ルームのロックが解除されました。',
  chatClosed:
    '今は読むことだけができ、書き込めません。手を挙げるか、モデレーターに頼んでください。',
  recordingClosed: 'ここでは録音できません。モデレーターが録音するか、許可できます。',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'サーバーの運営者' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'このルームのモデレーターです',
  speaker: '話せます。ミュートされていれば「ミュート解除」を押してください',
  listener: 'リスナーです。相手の声は聞こえ、あなたの声は聞こえません',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null
      ? 'まだモデレーターにミュートされています。'
      : `${by} があなたをミュートしました。`) + '話したいときは手を挙げてください。',
  'may-unmute': (by) => `${by} が発言を許可しました。話すときは「ミュート解除」を押してください。`,
  'hand-lowered': (by) => `${by} があなたの手を下ろしました。`,
  role: (by, role) =>
    `${by === null ? '' : `${by} があなたの役割を変えました。`}あなたは今から` +
    `${roleNames[role] ?? roleNames.speaker}。`,
};
