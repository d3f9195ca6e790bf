import { formsOf } from '../language.js';

const { list } = formsOf('zh');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: '正在等待进入…',
  waitingInLobby: '主持人知道你来了。请留在本页：获准后你就会进入。',
  roles: { moderator: '主持人', listener: '听众' },
  mutedByModerator: '被主持人静音',
  ofGroup: (group) => `第 ${group} 组`,
  interprets: (language) => `口译：${language}`,
  nowModerates: (name) => `${name} 现在是主持人。`,
  cannotSpeak: '你在这里是听众，别人听不到你。想发言请举手，由主持人允许。',
  onStage: '你已上台，处于静音状态。请点击“取消静音”让别人听到你。',
  moderate: '管理…',
  lowerTheirHand: '放下对方的手',
  handsUp: (count) => `${count} 位听众举手。`,
  moreHands: (count) => `还有 ${count} 位`,
  letSpeak: '让其发言',
  letSpeakName: (name) => `让 ${name} 发言`,
  lowerHandOf: (name) => `放下 ${name} 的手`,
  roomPanel: '房间',
  knocked: (names) => `${list(names)}想进来。`,
  letIn: '允许进入',
  turnAway: '拒绝',
  letInName: (name) => `允许 ${name} 进入`,
  turnAwayName: (name) => `拒绝 ${name}`,
  ruleSigns: { locked: '已锁定', lobby: '有等候室', password: '有密码' },
  e2eSign: '端到端加密',
  roomLocked: '房间已锁定。',
  roomUnlocked: '房间已重新开放。',
  chatClosed: '你现在可以阅读，但不能发消息。请举手，或询问主持人。',
  recordingClosed: '你不能在这里录音。主持人可以录音，或允许你录音。',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: '服务器管理员' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: '你现在是本房间的主持人',
  speaker: '你现在可以发言。如果处于静音状态，请点击“取消静音”',
  listener: '你现在是听众：你能听到别人，别人听不到你',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) => (by === null ? '主持人仍将你静音。' : `${by} 将你静音。`) + '想发言时请举手。',
  'may-unmute': (by) => `${by} 允许你再次发言。想说话时请点击“取消静音”。`,
  'hand-lowered': (by) => `${by} 放下了你的手。`,
  role: (by, role) =>
    `${by === null ? '' : `${by} 更改了你的角色。`}${roleNames[role] ?? roleNames.speaker}。`,
};
