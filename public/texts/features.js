/** Features that few calls have: loaded, in one piece, when somebody first uses one. */

import { translated, translationOf } from './language.js';

const own = await translationOf('features');

/** Captions of what people say. */
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

/** Groups of a room's people, also called breakout rooms. */
export const groupTexts = translated(own.groupTexts, {
  groups: 'Groups',
  offHint:
    'People in a group hear only each other. You move them, or they choose, and you call ' +
    'everybody back.',
  number: 'Number of groups',
  evenly: 'Spread people evenly',
  evenlyHint: 'Moderators stay in the room.',
  choose: 'Let everybody choose',
  chooseHint: 'People pick their group themselves, and may change it.',
  open: 'Open the groups',
  callBackIn: 'Everybody comes back',
  callBackTimes: /** @type {[number, string][]} */ ([
    [0, 'at once'],
    [30, 'in 30 seconds'],
    [60, 'in one minute'],
    [300, 'in five minutes'],
  ]),
  callBack: 'Call everybody back',
  speak: 'Speak to all groups',
  stopSpeaking: 'Stop speaking to all groups',
  speakHint:
    'Everybody hears you, in the room and in each group. A message that you write from the room ' +
    'reaches everybody, too.',
  theRoom: 'The room',
  group: (/** @type {number} */ group) => `Group ${group}`,
  groupWith: (/** @type {number} */ group, /** @type {number} */ people) =>
    `Group ${group} (${people})`,
  groupOf: (/** @type {string} */ name) => `Group of ${name}`,
  yourGroup: 'Your group',
  inRoom: 'Groups are open. You are in the room.',
  inGroup: (/** @type {number} */ group) =>
    `You are in group ${group}. Only its people hear you, and you hear only them.`,
  goBack: 'Back to the room',
  backIn: (/** @type {string} */ time) => `Everybody comes back to the room in ${time}.`,
  speaks: (/** @type {string} */ name) => `${name} is speaking to all groups.`,
  youSpeak: 'You are speaking to all groups.',
  over: 'The groups are over. Everybody is in the room again.',
});

/** The two inputs of a musician, in the panel Sound. */
export const inputTexts = translated(own.inputTexts, {
  title: 'Two inputs',
  off: 'Your microphone is one input.',
  name: 'Name of the right input',
  second: 'Second input',
  start: 'Use two inputs',
  stop: 'Use one input',
  on: (/** @type {string} */ name) =>
    `The left input is your voice. Everybody hears the right one as “${name}”.`,
  oneChannel:
    'This microphone has one channel, so it stays one input. Choose a device with two inputs ' +
    'under Settings, then try again.',
  replaced: 'You share another sound instead, so your microphone is one input again.',
  noMicrophone: 'Choose a microphone under Settings first.',
  hint:
    'For a sound card with a voice on the left and an instrument on the right. Both go out ' +
    'unprocessed and in time with each other. Everybody sets a volume and a place for each. Use ' +
    'headphones, or the microphone picks up the others.',
});

/** Interpreters of a broadcast. */
export const interpreterTexts = translated(own.interpreterTexts, {
  label: 'Language',
  floor: 'As spoken',
  hint: 'An interpreter is heard over the speakers, who are softer while they speak.',
  into: 'Interprets into',
  nobody: 'No language: everybody hears them',
  set: 'Set the language',
  intoHint: 'Only listeners who choose the language hear an interpreter.',
});
