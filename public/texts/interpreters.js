import { translated, translationOf } from './language.js';

const own = await translationOf('interpreters');

/** Interpreters of a broadcast: loaded when there is one, or when a moderator makes one. */
export const interpreterTexts = translated(own.interpreterTexts, {
  label: 'Language',
  floor: 'As spoken',
  hint: 'An interpreter is heard over the speakers, who are softer while they speak.',
  into: 'Interprets into',
  nobody: 'No language: everybody hears them',
  set: 'Set the language',
  intoHint: 'Only listeners who choose the language hear an interpreter.',
});
