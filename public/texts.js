import { callTexts } from './texts/call.js';
import { chatTexts } from './texts/chat.js';
import { greenRoomTexts } from './texts/green-room.js';
import { recordingTexts } from './texts/recording.js';
import { soundTexts } from './texts/sound.js';

/**
 * Every sentence that the page says, by area under texts/: who translates the page has that folder to go
 * through, and nothing else. Where something went wrong it says what happened, then what to do.
 */
export { connectionNames } from './texts/call.js';
export { failureTexts, noticeText, whyNot } from './texts/failures.js';
export { labels, switchTexts } from './texts/labels.js';
export { figureTexts, partTexts } from './texts/sound.js';

export const texts = Object.freeze({ ...callTexts, ...chatTexts, ...greenRoomTexts, ...recordingTexts, ...soundTexts });
