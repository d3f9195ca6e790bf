import { accessTexts } from './texts/access.js';
import { callTexts, chatTexts, recordingTexts } from './texts/call.js';
import { greenRoomTexts } from './texts/green-room.js';
import { moderationTexts } from './texts/moderation.js';
import { soundTexts } from './texts/sound.js';

/**
 * Every sentence of the page, by area under texts/, which is all that a translation has to replace.
 * A sentence about a failure says what happened, then what to do.
 */
export { moderatedText } from './texts/access.js';
export { connectionNames } from './texts/call.js';
export { failureTexts, noticeText, failureReason } from './texts/failures.js';
export { labels, switchTexts } from './texts/labels.js';
export { figureTexts, partTexts } from './texts/sound.js';

export const texts = Object.freeze({
  ...accessTexts,
  ...callTexts,
  ...chatTexts,
  ...greenRoomTexts,
  ...moderationTexts,
  ...recordingTexts,
  ...soundTexts,
});
