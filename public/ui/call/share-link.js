import { build, elementOf, makeButton, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { labels, texts } from '../../texts.js';

/** The link without the query: the name in it is one's own. */
const roomLink = () => location.origin + location.pathname;

/** How long the button says that the link was copied, in milliseconds. */
const SAID_MS = 4000;

/**
 * Lets the room's link be copied, or scanned.
 * @param {{ announce: (sentence: string) => void, failed: (code: string) => void }} actions
 */
export function shareLink({ announce, failed }) {
  const text = elementOf('copy-link-text', HTMLElement);
  const copy = elementOf('copy-link', HTMLButtonElement);
  // On a phone the button is its icon.
  const say = (/** @type {string} */ sentence, /** @type {string} */ icon) => {
    setText(text, sentence);
    copy.firstElementChild?.replaceWith(makeIcon(icon));
  };
  let timer = 0;
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(roomLink());
    } catch {
      failed('copy-failed');
      return;
    }
    say(texts.linkCopied, icons.check);
    announce(texts.linkCopied);
    clearTimeout(timer);
    timer = window.setTimeout(() => say(labels.copyLink, icons.link), SAID_MS);
  });
  elementOf('show-qr', HTMLButtonElement).addEventListener('click', () => showQr().catch(() => failed('qr-failed')));
}

/** Shows the link as a QR code, in a dialog that is there while it is open. */
async function showQr() {
  const { drawQr } = await import('./qr-code.js');
  const dialog = build('dialog', { class: 'dialog', 'aria-labelledby': 'qr-title' });
  dialog.append(
    build('h2', { id: 'qr-title' }, texts.qrTitle),
    drawQr(roomLink(), texts.qrLabel),
    build('p', { class: 'hint qr-link' }, roomLink()),
    makeButton('button wide', texts.close, () => dialog.close()),
  );
  dialog.addEventListener('close', () => dialog.remove());
  // A press beside it closes it.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
