/**
 * What a person chose the last time: name, microphone, connection. Kept in the browser alone; where
 * it may keep nothing (a private window, a setting), nothing is remembered and nothing fails.
 */

const KEY = 'aloud.choices';

/** @typedef {{ name?: string, microphone?: string, transport?: string }} Choices */

/**
 * @returns {Choices}
 */
export function readChoices() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : undefined);
    return { name: text(kept?.name), microphone: text(kept?.microphone), transport: text(kept?.transport) };
  } catch {
    return {};
  }
}

/**
 * @param {Choices} choices those that are given replace those that were kept
 */
export function keepChoices(choices) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...readChoices(), ...choices }));
  } catch {
    // The browser keeps nothing for this page: the form starts empty next time.
  }
}
