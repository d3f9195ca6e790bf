import { build, findTitle, makeButton } from './element.js';
import { texts } from '../../texts/texts.js';

/** Number of dialogs so far, for unique ids. */
let count = 0;

/**
 * Opens a dialog, which is removed from the page when it closes.
 * @param {string} title
 * @param {string | null} text its description
 * @param {...(Node | null)} children below the text
 * @returns {HTMLDialogElement}
 */
function open(title, text, ...children) {
  const id = `dialog-${++count}`;
  const hadFocus = document.activeElement !== document.body;
  const describedBy = text === null ? undefined : `${id}-text`;
  const dialog = build(
    'dialog',
    { class: 'dialog', 'aria-labelledby': id, 'aria-describedby': describedBy },
    build('h2', { id }, title),
    text === null ? null : build('p', { id: describedBy }, text),
    ...children,
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    // The browser gives the focus back, unless its element is gone by now, or hidden.
    if (hadFocus && document.activeElement === document.body) findTitle()?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Shows content in a dialog. A button, Escape and a press outside close it.
 * @param {string} title
 * @param {...(Node | null)} children
 * @returns {() => void} closes it; idempotent
 */
export function showDialog(title, ...children) {
  const dialog = open(
    title,
    null,
    ...children,
    makeButton('button wide', texts.close, () => dialog.close()),
  );
  let isOutside = false;
  dialog.addEventListener('pointerdown', ({ target, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    isOutside = target === dialog && (x < left || x > right || y < top || y > bottom);
  });
  dialog.addEventListener('click', () => isOutside && dialog.close());
  return () => dialog.close();
}

/**
 * Asks a question in a dialog. Closing the dialog means no.
 * @param {{ title: string, text: string, yes: string, no: string, isDangerous?: boolean }} question
 *   isDangerous: true when a yes can't be undone
 * @param {(agreed: boolean) => void} answer called once, unless the question is withdrawn
 * @returns {() => void} withdraws the question; idempotent
 */
export function ask({ title, text, yes, no, isDangerous = false }, answer) {
  let agreed = false;
  let isWithdrawn = false;
  const close = (/** @type {boolean} */ isYes) => {
    agreed = isYes;
    dialog.close();
  };
  const buttons = build(
    'div',
    { class: 'dialog-buttons' },
    makeButton('button', no, () => close(false)),
    makeButton(`button ${isDangerous ? 'danger' : 'primary'}`, yes, () => close(true)),
  );
  const dialog = open(title, text, buttons);
  dialog.addEventListener('close', () => isWithdrawn || answer(agreed));
  return () => {
    isWithdrawn = true;
    dialog.close();
  };
}
