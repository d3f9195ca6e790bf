import { build, makeButton } from '../kit/element.js';
import { texts } from '../../texts.js';

/** Shows what the keys do, in a dialog that is there while it is open. */
export function showKeys() {
  const dialog = build('dialog', { class: 'dialog', 'aria-labelledby': 'keys-title' });
  const rows = texts.keys.map(([key, what]) =>
    build('div', { class: 'key-row' }, build('dt', {}, build('kbd', {}, key)), build('dd', {}, what)),
  );
  dialog.append(
    build('h2', { id: 'keys-title' }, texts.keysTitle),
    build('dl', { class: 'keys' }, ...rows),
    build('p', { class: 'hint' }, texts.keysHint),
    makeButton('button wide', texts.close, () => dialog.close()),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
