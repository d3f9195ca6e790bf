import { makeRoomKey } from './shared/links.js';
import { isListenersInvitation, takeInvitation, takeStage } from './ui/kit/invitation.js';
import { readAddress, readRoomName, roomPath } from './ui/green-room/room-address.js';
import { elementOf } from './ui/kit/element.js';
import { Notices } from './ui/kit/notices.js';
import { showProblem, showView, writeTexts } from './ui/kit/page.js';
import { RoomPage } from './ui/room-page.js';
import { noticeText, texts } from './texts/texts.js';

writeTexts(document);

const notices = new Notices(elementOf('notices', HTMLElement));
const address = readAddress(location);

if (address.room !== null) {
  const token = takeInvitation(address.room);
  const listen = address.listen || isListenersInvitation(token);
  const page = new RoomPage(
    address.room,
    { ...address, token, stage: takeStage(address.room), listen },
    notices,
  );
  // For debugging in the browser's console: `aloud.call` is the current call.
  Object.defineProperty(window, 'aloud', { value: page });
  void page.open();
} else {
  if (location.pathname.startsWith('/r/')) notices.show('room-name');
  showStart();
}

/** Shows the first page, with links to a new room or a named one. */
function showStart() {
  const field = elementOf('room', HTMLInputElement);
  const pathOf = (/** @type {string} */ room) => roomPath(room) + location.search;
  const go = (/** @type {string} */ room) => location.assign(pathOf(room));
  // The words load while the person reads the page.
  const names = import('./ui/green-room/room-name.js');
  const withNew = (/** @type {(room: string) => void} */ run) => () =>
    void names.then(
      ({ makeRoomName }) => run(makeRoomName()),
      () => notices.show('no-worker'),
    );
  elementOf('start-room', HTMLButtonElement).addEventListener('click', withNew(go));
  elementOf('start-encrypted', HTMLButtonElement).addEventListener(
    'click',
    withNew((room) => location.assign(`${pathOf(room)}#e2e=${makeRoomKey()}`)),
  );
  elementOf('enter', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const room = readRoomName(field.value);
    if (room !== null) go(room);
    else
      showProblem(field, field.value.trim() === '' ? texts.noRoomTyped : noticeText('room-name'));
  });
  field.addEventListener('input', () => showProblem(field, null));
  import('./ui/settings/language-field.js').then(
    ({ makeLanguageField }) =>
      elementOf('start-language', HTMLElement).append(
        makeLanguageField('language', () => location.reload()),
      ),
    () => notices.show('no-worker'),
  );
  showView('start');
}
