/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: '字幕',
  waiting: '如果说话者的浏览器能转写，或房间里有程序在转写，所说的话会显示在这里。',
  byProgram: (by) => `（由 ${by} 转写）`,
  translate: '翻译成',
  asSpoken: '原文',
  notTranslated: '此浏览器无法翻译这段话，因此显示原文。',
  own: '有人打开了字幕。此浏览器会在这台设备上转写你说的话，供对方阅读。',
  stop: '停止转写',
  install: '有人打开了字幕。加载你的语言后，此浏览器可以在这台设备上转写你说的话。',
  load: '加载',
  failed: '此浏览器已停止转写你说的话。其他人仍能照常听到你。',
};

/** @type {typeof import('../features.js').groupTexts} */
export const groupTexts = {
  groups: '分组',
  offHint: '组内的人只听得到本组。由你分配，或由大家自选，最后由你把所有人叫回来。',
  number: '分组数量',
  evenly: '平均分配',
  evenlyHint: '主持人留在房间里。',
  choose: '让大家自选',
  chooseHint: '每个人自己选组，也可以换组。',
  open: '开始分组',
  callBackIn: '所有人返回',
  callBackTimes: [
    [0, '立即'],
    [30, '30 秒后'],
    [60, '1 分钟后'],
    [300, '5 分钟后'],
  ],
  callBack: '叫回所有人',
  speak: '向所有组讲话',
  stopSpeaking: '停止向所有组讲话',
  speakHint: '房间和每个组里的人都能听到你。你在房间里发的消息也会发给所有人。',
  theRoom: '房间',
  group: (group) => `第 ${group} 组`,
  groupWith: (group, people) => `第 ${group} 组（${people} 人）`,
  groupOf: (name) => `${name} 的分组`,
  yourGroup: '你的分组',
  inRoom: '分组已开始。你在房间里。',
  inGroup: (group) => `你在第 ${group} 组。只有本组能听到你，你也只能听到本组。`,
  goBack: '返回房间',
  backIn: (time) => `所有人将在 ${time} 后返回房间。`,
  speaks: (name) => `${name} 正在向所有组讲话。`,
  youSpeak: '你正在向所有组讲话。',
  over: '分组已结束。所有人都回到了房间。',
};

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: '两路输入',
  off: '你的麦克风是一路输入。',
  name: '右路输入的名称',
  second: '第二路输入',
  start: '使用两路输入',
  stop: '使用一路输入',
  on: (name) => `左路输入是你的语音。大家听到的右路输入名为“${name}”。`,
  oneChannel:
    '这个麦克风只有一个声道，所以仍是一路输入。请在设置中选择有两路输入的设备，然后重试。',
  replaced: '你改为共享另一个声音，麦克风已恢复为一路输入。',
  noMicrophone: '请先在设置中选择麦克风。',
  hint:
    '适用于左路接人声、右路接乐器的声卡。两路都不经处理，并且彼此同步。每个人可以分别调节两路的音量和位置。' +
    '请使用耳机，否则麦克风会收进其他人的声音。',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: '语言',
  floor: '原声',
  hint: '口译员讲话时，发言人的声音会变小。',
  into: '口译成',
  nobody: '无：所有人都听得到',
  set: '设置语言',
  intoHint: '只有选择该语言的听众才听得到口译员。',
};
