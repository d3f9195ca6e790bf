/**
 * Watches for a press anywhere else on the page, with which people close what is open.
 * @param {Element[]} inside  presses on these are none
 * @param {() => void} run
 * @returns {() => void} ends it; idempotent
 */
export function onPressOutside(inside, run) {
  const look = (/** @type {PointerEvent} */ { target }) => {
    if (!inside.some((element) => element.contains(/** @type {Node} */ (target)))) run();
  };
  document.addEventListener('pointerdown', look);
  return () => document.removeEventListener('pointerdown', look);
}
