import { formsOf } from '../language.js';

const { number } = formsOf('zh');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `管理 ${name}`,
  muteForAll: '对所有人静音',
  muteForAllHint: '在你允许之前，对方不能自行取消静音。',
  allowToSpeak: '允许发言',
  allowToSpeakHint: '在对方自行取消之前，仍处于静音状态。',
  role: '角色',
  roleNames: { moderator: '主持人', speaker: '发言者', listener: '听众' },
  changeRole: '更改角色',
  roleHint: '主持人拥有与你相同的权限。听众可以收听、发消息和举手，但别人听不到。',
  remove: '移出房间',
  removeHint: '对方可以再次加入。',
  banFor: '禁止进入',
  banTimes: [
    [3600, '一小时'],
    [86_400, '一天'],
    [7 * 86_400, '一周'],
    [30 * 86_400, '三十天'],
  ],
  removeAndBan: '移出并禁止',
  banHint: '依据邀请；没有邀请时依据网络，它可能属于整个家庭或公司。',
  listeners: '查找听众',
  listenersShown: (shown, count) =>
    count === 0
      ? '没有听众。'
      : shown === 0
        ? `${number(count)} 位听众中没有这个名字。`
        : `${number(count)} 位听众中的 ${shown} 位`,
  moreListeners: '下一页',
  firstListeners: '从头开始',
  copyListenLink: '复制听众链接',
  removeListener: '移出',
  removeName: (name) => `移出 ${name}`,
  lock: '锁定房间',
  lockHint: '其他人不能加入。断线的人可以回来。',
  lobby: '等候室',
  lobbyHint: '加入的人要等你允许。关闭它时，所有等候的人都会进入。',
  chatPermission: '谁可以发消息',
  recordPermission: '谁可以录音',
  allowed: { everybody: '所有人', moderators: '主持人' },
  mode: '声音如何传给所有人',
  modes: {
    mix: '由服务器混音',
    forward: '转发，由各页面混音',
    auto: '小房间转发，其他混音',
  },
  modeHint: '转发时声音保持原样，但每个页面需要更多带宽和处理能力。',
  modeE2e: '本房间采用端到端加密：声音由服务器转发，服务器不能混音，也不能录音。',
  password: '密码',
  passwordSet: '房间有密码。输入另一个即可更改。',
  passwordNone: '房间没有密码。设置后，已在房间里的人不受影响。',
  setPassword: '设置密码',
  dropPassword: '删除密码',
  bans: '被禁止的人',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `邀请 ${identity}` : `网络 ${network}`;
    return `${name}，依据${cause}，直到 ${end}`;
  },
  unban: '重新允许',
  unbanName: (name) => `重新允许 ${name}`,
  stepDown: '不再担任主持人',
  lastModerator: '你是唯一的主持人。要交接，请在别人名字的选项中把对方设为主持人。',
  endForAll: '结束所有人的通话',
  endQuestion: {
    title: '要结束所有人的通话吗？',
    text: '包括你在内的所有人都会离开，房间的设置也会丢失。',
    yes: '结束',
    no: '继续',
  },

  goLive: '开始直播',
  endBroadcast: '结束直播',
  offHint: '房间会变成直播：已在这里的人留在台上，用房间链接新来的人只能收听。',
  onHint:
    '房间正在直播。用链接新来的人只能收听。结束后，新来的人可以发言，听众在重新加入之前仍是听众。',
  makeStreamKey: '让程序发送声音',
  newStreamKey: '生成新密钥',
  revokeStreamKey: '撤销密钥',
  streamOffHint:
    'Mixxx、butt、Liquidsoap、ffmpeg 等能向 Icecast 服务器发送的程序，都可以向本房间发送。一个密钥允许其中一个上台。',
  streamOnHint:
    '在程序中选择 Icecast、Opus、这个地址、用户“source”，并以密钥作为密码。更换或撤销密钥会结束正在发送的内容。',
  streamAddress: '程序使用的地址',
  copyStreamAddress: '复制地址',
  streamAddressCopied: '地址已复制。',
  copyStreamKey: '复制密钥',
  streamKeyCopied: '密钥已复制。拥有它的人可以向本房间发送声音。',
  copyStageLink: '复制上台链接',
  stageLinkHint: '拥有此链接的人都可以发言。下次直播会有新的链接。',
};
