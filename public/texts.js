import { callTexts, chatTexts, recordingTexts } from './texts/call.js';
import { greenRoomTexts } from './texts/green-room.js';
import { moderationTexts } from './texts/moderation.js';
import { soundTexts } from './texts/sound.js';

/**
 * Every sentence of the page, by area under texts/, which is all that a translation has to replace.
 * A sentence about a failure says what happened, then what to do.
 */
export { connectionNames } from './texts/call.js';
export { failureTexts, noticeText, failureReason } from './texts/failures.js';
export { labels, switchTexts } from './texts/labels.js';
export { moderatedText } from './texts/moderation.js';
export { figureTexts, partTexts } from './texts/sound.js';

export const texts = Object.freeze({
  ...callTexts,
  ...chatTexts,
  ...greenRoomTexts,
  ...moderationTexts,
  ...recordingTexts,
  ...soundTexts,
});
