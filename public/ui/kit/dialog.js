import { build, makeButton } from './element.js';

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {string} text
 * @property {string} yes
 * @property {string} no
 */

let count = 0;

/**
 * Asks something. To close the question is to say no.
 * @param {Question} question
 * @param {(agreed: boolean) => void} answer called once, unless the question is taken back
 * @returns {() => void} takes the question back; idempotent
 */
export function ask({ title, text, yes, no }, answer) {
  const id = `question-${++count}`;
  let agreed = false;
  let isOver = false;
  const close = (/** @type {boolean} */ isYes) => {
    agreed = isYes;
    dialog.close();
  };
  const dialog = build(
    'dialog',
    { class: 'dialog', 'aria-labelledby': id, 'aria-describedby': `${id}-text` },
    build('h2', { id }, title),
    build('p', { id: `${id}-text` }, text),
    build(
      'div',
      { class: 'dialog-buttons' },
      makeButton('button', no, () => close(false)),
      makeButton('button primary', yes, () => close(true)),
    ),
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (!isOver) answer(agreed);
    isOver = true;
  });
  document.body.append(dialog);
  dialog.showModal();
  return () => {
    isOver = true;
    dialog.close();
  };
}
