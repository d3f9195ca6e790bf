/**
 * @import { Call } from '../call.js'
 */

import { addStyle } from '../ui/kit/element.js';

/**
 * Turns this page into the call's page, while the call continues and is heard.
 * @param {string} room
 * @param {() => Call | null} give  called when the call's page is there
 * @returns {Promise<void>} rejects when that can't be loaded; the page is then as before
 */
export async function goOntoStage(room, give) {
  const parameters = new URLSearchParams(location.search);
  for (const name of ['listen', 'embed']) parameters.delete(name);
  parameters.set('stage', '');
  const path = `/r/${encodeURIComponent(room)}?${parameters}`;
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`the page of the call answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const before = [...document.body.children];
  const parts = [...page.body.children].map(
    (part) => /** @type {HTMLElement} */ (document.importNode(part, true)),
  );
  for (const part of parts) part.hidden = true;
  try {
    await Promise.all(
      [...page.querySelectorAll('link[rel=stylesheet]')].map((link) =>
        addStyle(link.getAttribute('href') ?? ''),
      ),
    );
    document.body.append(...parts);
    const { adopt } = await import('../ui/room-page.js');
    const call = give();
    if (call === null) throw new Error('the call has ended');
    for (const part of before) part.remove();
    for (const part of parts) part.hidden = false;
    document.body.classList.remove('listening');
    // The key of a room that is encrypted end to end stays in the address.
    history.replaceState(null, '', path + location.hash);
    adopt(room, call);
  } catch (error) {
    for (const part of parts) part.remove();
    throw error;
  }
}
