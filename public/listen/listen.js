import { isListenersInvitation, takeInvitation, takeStage } from '../ui/kit/invitation.js';
import { ListenPage } from './listen-page.js';
import { addressOf, stageAddress } from './listening.js';

const address = addressOf(location);
const token = takeInvitation(address.room);
// A broadcast's plain link leads here; people invited to its stage go on to the page of the call.
const invitation = address.asks
  ? null
  : stageAddress(location, {
      token: isListenersInvitation(token) ? undefined : token,
      stage: takeStage(address.room),
    });

if (invitation !== null) {
  location.replace(invitation);
} else {
  const page = new ListenPage({ ...address, token });
  // For diagnosis in the browser's console, as on the page of the call.
  Object.defineProperty(window, 'aloud', { value: page, configurable: true });
  page.open();
}
