import { build, makeButton } from './element.js';
import { texts } from '../texts.js';

/**
 * Asks whether one wants to be recorded. To close the question is to say no.
 * @param {string} by who started the recording
 * @param {(agreed: boolean) => void} answer called once, unless the question is taken back
 * @returns {() => void} takes the question back
 */
export function askConsent(by, answer) {
  let agreed = false;
  let isOver = false;
  const close = (/** @type {boolean} */ yes) => {
    agreed = yes;
    dialog.close();
  };
  const dialog = build(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'consent-title', 'aria-describedby': 'consent-text' },
    build('h2', { id: 'consent-title' }, texts.consentTitle),
    build('p', { id: 'consent-text' }, texts.consentText(by)),
    build(
      'div',
      { class: 'dialog-buttons' },
      makeButton('button', texts.refuseRecording, () => close(false)),
      makeButton('button primary', texts.agree, () => close(true)),
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
