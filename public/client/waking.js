/** When the network, the computer or the page may have come back. @type {[EventTarget, string][]} */
const wakings = [
  [globalThis, 'online'],
  [globalThis, 'pageshow'],
  [globalThis.document, 'visibilitychange'],
  [globalThis.document, 'resume'],
];

/**
 * @param {() => void} run whenever that is so, but while the page is hidden
 * @returns {() => void} ends it; idempotent
 */
export function onWaking(run) {
  const look = () => {
    if (document.visibilityState !== 'hidden') run();
  };
  for (const [target, type] of wakings) target.addEventListener(type, look);
  return () => {
    for (const [target, type] of wakings) target.removeEventListener(type, look);
  };
}
