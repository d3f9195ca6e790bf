import { takeInvitation, takeStage } from './kit/invitation.js';
import { elementOf } from './kit/element.js';
import { Notices } from './kit/notices.js';
import { writeTexts } from './kit/page.js';
import { readAddress } from './lobby/room-address.js';
import { RoomPage } from './room-page.js';

/**
 * @import { Call } from '../call.js'
 */

/**
 * Goes on with the call of one who listened and may speak now, in the markup of the call's page.
 * @param {string} room
 * @param {Call} call
 * @param {ReadonlyArray<[string, any]>} past  the call's events that still matter: type and detail
 */
export function adopt(room, call, past) {
  writeTexts(document);
  const wish = {
    ...readAddress(location),
    room,
    listen: false,
    token: takeInvitation(room),
    stage: takeStage(room),
  };
  const page = new RoomPage(room, wish, new Notices(elementOf('notices', HTMLElement)));
  Object.defineProperty(window, 'aloud', { value: page, configurable: true });
  page.adopt(call, past);
}
