import { formsOf } from '../language.js';
import { connectionNames } from '../units.js';

const { list, number } = formsOf('zh');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: '收听',
  pause: '暂停',
  starting: '正在开始…',
  cancel: '取消',
  listeners: (count) => `${number(count)} 位听众`,
  speaking: (names) => (names.length === 0 ? '没有人在说话。' : `${list(names)}正在说话。`),
  otherSound: '音乐，或其他没有人声的声音。',
  onStage: (names) =>
    names.length === 0 ? '还没有人说话。你会听到第一个说话的人。' : `台上：${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['直播'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(' · '),
  name: '你的名字',
  nameHint: '你举手时主持人会看到它，可以留空。',
  nameInvited: '这个名字来自你的邀请。你举手时主持人会看到它。',
  listenerName: '听众',
  password: '房间密码',
  volume: '音量',
  near: '延迟',
  nearness: { conversation: '实时', near: '稍晚', steady: '稳定' },
  nearnessHints: {
    conversation: '尽可能早：适合可能要回应的人。',
    near: '晚四分之一秒，断续更少。',
    steady: '晚两秒，网络差时也完整。',
  },
  hand: '举手',
  handUp: '放下手',
  details: '连接',
  quality: (kbps, transport, delayMs) => {
    const delay = delayMs === null ? '' : `，晚 ${(delayMs / 1000).toFixed(1)} 秒听到`;
    return `${Math.round(kbps)} kb/s，${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: '打开带聊天的完整页面',
  openRoom: '打开房间',

  notOpen: '这个房间还没有开放。请点击“收听”，有人说话时你就能听到。',
  ready: '请点击“收听”。不需要麦克风。',
  playing: '正在收听。',
  paused: '已暂停。现在不会下载任何内容。',
  resumed: '已恢复收听。',
  reconnecting: '连接中断。请留在本页：正在重新连接。',
  reconnectingLong: '已经有一阵没有连接了。请检查本设备的网络：一旦恢复，声音就会回来。',
  waiting: '主持人知道你来了。获准进入后，你就能听到房间里的声音。',
  pressForSound: '浏览器暂停了声音。请点击页面任意处。',
  interrupted: '其他程序占用了本设备的声音。它会自动恢复，或在你点击任意处时恢复。',
  handRaised: '你已举手，主持人能看到。',
  handLowered: '你已放下手。',
  handTaken: '主持人放下了你的手。',
  fromBeginning: '正在录音。从头收听',
  broadcastOver: '直播已结束。你仍能听到房间里的声音。',
  joinCall: '加入通话',
  ontoStage: '你现在可以发言了。正在加载通话页面…',
  stageFailed: '你现在可以发言了，但通话页面无法加载。请检查网络，然后点击“上台”。',
  goOnStage: '上台',
  stageElsewhere: '你现在可以发言了，请到房间页面。',
  draining: '服务器即将重启。声音会自动恢复。',
  loadFailed: '页面的一部分无法加载。请检查网络，然后再次点击“收听”。',
  failed: '出错了。请检查网络，然后再次点击“收听”。',
};
