import { roomPath } from './address.js';
import { elementOf } from '../kit/element.js';
import { problem } from './form-problem.js';
import { makeRoomName, readRoomName } from './room-address.js';
import { showView } from '../kit/views.js';
import { noticeText, texts } from '../../texts.js';

/**
 * The first page: start a room, or go to one.
 * @param {(path: string) => void} go opens a page of this site
 */
export function showStart(go) {
  const field = elementOf('room', HTMLInputElement);
  elementOf('start-room', HTMLButtonElement).addEventListener('click', () => go(roomPath(makeRoomName())));
  elementOf('enter', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    const room = readRoomName(field.value);
    if (room !== null) go(roomPath(room));
    else problem(field, field.value.trim() === '' ? texts.noRoomTyped : noticeText('room-name'));
  });
  field.addEventListener('input', () => problem(field, null));
  showView('start');
}
