import { readName } from '../../shared/text.js';
import { build } from '../kit/element.js';

/**
 * Makes an input for a file with sound, which a button clicks: it is hidden.
 * @param {string} id
 * @param {(file: File, name: string | null) => void} chosen  name: null without a presentable one
 */
export function makeSoundInput(id, chosen) {
  const hidden = { class: 'visually-hidden', tabindex: '-1', 'aria-hidden': 'true' };
  const input = build('input', { id, type: 'file', accept: 'audio/*', ...hidden });
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    input.value = '';
    if (!file) return;
    const { name, error } = readName(file.name.replace(/\.[^.]{1,5}$/, ''));
    chosen(file, error === null ? name : null);
  });
  return input;
}
