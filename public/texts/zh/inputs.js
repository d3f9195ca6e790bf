/** @type {typeof import('../inputs.js').inputTexts} */
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
