import { translated, translationOf } from './language.js';

const own = await translationOf('groups');

/** Groups of a room's people, also called breakout rooms: loaded when somebody opens them. */
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
