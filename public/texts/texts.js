import { callTexts, chatTexts, recordingTexts } from './call.js';
import { greenRoomTexts } from './labels.js';
import { moderationTexts } from './moderation.js';
import { soundTexts } from './sound.js';
import { neutralTexts } from './units.js';

/**
 * Every sentence of the page, by area in this folder, in English; the folders beside have the other
 * languages. A sentence about a failure says what happened, then what to do.
 */
export { failureTexts, noticeText, failureReason } from './failures.js';
export { labels, switchTexts } from './labels.js';
export { moderatedText } from './moderation.js';
export { figureTexts, partTexts } from './sound.js';
export { connectionNames } from './units.js';

export const texts = Object.freeze({
  ...neutralTexts,
  ...callTexts,
  ...chatTexts,
  ...greenRoomTexts,
  ...moderationTexts,
  ...recordingTexts,
  ...soundTexts,
});
