import { readAddress } from './ui/lobby/address.js';
import { elementOf } from './ui/kit/element.js';
import { Notices } from './ui/kit/notices.js';
import { RoomPage } from './ui/room-page.js';
import { showStart } from './ui/lobby/start-view.js';
import { writeTexts } from './ui/kit/page.js';

writeTexts(document);

const notices = new Notices(elementOf('notices', HTMLElement));
const wish = readAddress(location);

if (wish.room !== null) {
  const page = new RoomPage(wish.room, wish, notices);
  // For diagnosis in the browser's console: `aloud.call` is the call that is going on.
  Object.defineProperty(window, 'aloud', { value: page });
  void page.open();
} else {
  if (location.pathname.startsWith('/r/')) notices.show('room-name');
  showStart((path) => location.assign(path));
}
