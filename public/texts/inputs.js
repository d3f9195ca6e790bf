import { translated, translationOf } from './language.js';

const own = await translationOf('inputs');

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
