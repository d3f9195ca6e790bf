import { elementOf, setText } from '../kit/element.js';

/**
 * Says under a field what is wrong with it, and puts the focus there; or takes that away.
 * @param {HTMLInputElement} field its problem is told in the element `<id>-problem`
 * @param {string | null} sentence null when nothing is wrong
 */
export function problem(field, sentence) {
  const place = elementOf(`${field.id}-problem`, HTMLElement);
  place.hidden = sentence === null;
  setText(place, sentence ?? '');
  if (sentence === null) {
    field.removeAttribute('aria-invalid');
  } else {
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  }
}
