import { showDialog } from '../kit/dialog.js';
import { announce, build, elementOf, makeDrawing, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { roomLink } from '../green-room/room-address.js';
import { labels, texts } from '../../texts.js';

/** @import { Notices } from '../kit/notices.js' */

/** The time for which the button says that the link was copied, in milliseconds. */
const SAID_MS = 4000;

/** Light modules around a QR code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * Makes the buttons that copy the room's link and show it as a QR code.
 * @param {Notices} notices
 */
export function shareLink(notices) {
  const text = elementOf('copy-link-text', HTMLElement);
  const copy = elementOf('copy-link', HTMLButtonElement);
  // The icon changes too, since a phone shows nothing else of the button.
  const say = (/** @type {string} */ sentence, /** @type {string} */ icon) => {
    setText(text, sentence);
    copy.firstElementChild?.replaceWith(makeIcon(icon));
  };
  let timer = 0;
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(roomLink(location));
    } catch {
      notices.show('copy-failed');
      return;
    }
    say(texts.linkCopied, icons.check);
    announce(texts.linkCopied);
    clearTimeout(timer);
    timer = window.setTimeout(() => say(labels.copyLink, icons.link), SAID_MS);
  });
  elementOf('show-qr', HTMLButtonElement).addEventListener('click', () =>
    showQr().catch(() => notices.show('qr-failed')),
  );
}

/** @returns {Promise<void>} rejects when the encoder can't be loaded */
async function showQr() {
  const { encode } = await import('/vendor/uqr/index.mjs');
  const { data, size } = encode(roomLink(location), { ecc: 'M', border: QUIET_ZONE });
  const dark = data
    .map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''))
    .join('');
  const code = makeDrawing('qr', `0 0 ${size} ${size}`, dark);
  code.setAttribute('role', 'img');
  code.setAttribute('aria-label', texts.qrLabel);
  code.setAttribute('shape-rendering', 'crispEdges');
  showDialog(texts.qrTitle, code, build('p', { class: 'hint qr-link' }, roomLink(location)));
}
