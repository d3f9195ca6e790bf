import { callTexts, chatTexts, recordingTexts } from './call.js';
import { greenRoomTexts } from './green-room.js';
import { moderationTexts } from './moderation.js';
import { soundTexts } from './sound.js';

/**
 * Every sentence of the page, by area under texts/, which is all that a translation has to replace.
 * A sentence about a failure says what happened, then what to do.
 */
export { connectionNames } from './call.js';
export { failureTexts, noticeText, failureReason } from './failures.js';
export { labels, switchTexts } from './labels.js';
export { moderatedText } from './moderation.js';
export { figureTexts, partTexts } from './sound.js';

export const texts = Object.freeze({
  ...callTexts,
  ...chatTexts,
  ...greenRoomTexts,
  ...moderationTexts,
  ...recordingTexts,
  ...soundTexts,
});
