import { translated, translationOf } from './language.js';

const own = await translationOf('captions');

/** Captions, which are loaded when somebody turns them on. */
export const captionTexts = translated(own.captionTexts, {
  title: 'Captions',
  waiting:
    'What people say appears here, if their browser can write it, or a program in this room does.',
  byProgram: (/** @type {string} */ by) => `(written by ${by})`,
  translate: 'Translate into',
  asSpoken: 'As spoken',
  notTranslated: 'This browser can’t translate what was said, so it is shown as spoken.',
  own:
    'Somebody has turned on captions. This browser writes what you say, on this device, and they ' +
    'can read it.',
  stop: 'Stop writing',
  install:
    'Somebody has turned on captions. This browser can write what you say, on this device, once ' +
    'it has loaded your language.',
  load: 'Load it',
  failed: 'This browser has stopped writing what you say. Others hear you as before.',
});
