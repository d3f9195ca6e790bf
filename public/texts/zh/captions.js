/** @type {typeof import('../captions.js').captionTexts} */
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
