import { build, elementOf, makeButton, setText } from './element.js';
import { labels, texts } from '../texts.js';

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
  elementOf('copy-link', HTMLButtonElement).addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(roomLink());
    } catch {
      failed('copy-failed');
      return;
    }
    setText(text, texts.linkCopied);
    announce(texts.linkCopied);
    setTimeout(() => setText(text, labels.copyLink), SAID_MS);
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
