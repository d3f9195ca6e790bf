/** The network may have come, gone or become another one. @type {[EventTarget | undefined, string][]} */
const network = [
  [globalThis, 'online'],
  [globalThis, 'offline'],
  [/** @type {{ connection?: EventTarget }} */ (globalThis.navigator ?? {}).connection, 'change'],
];

/** The computer or the page may have come back. @type {[EventTarget | undefined, string][]} */
const page = [
  [globalThis, 'pageshow'],
  [globalThis.document, 'visibilitychange'],
  [globalThis.document, 'resume'],
];

/**
 * @param {() => void} run whenever that is so; for the page's own events only while it is to be seen
 * @returns {() => void} ends it; idempotent
 */
export function onWaking(run) {
  const look = () => {
    if (document.visibilityState !== 'hidden') run();
  };
  for (const [target, type] of network) target?.addEventListener(type, run);
  for (const [target, type] of page) target?.addEventListener(type, look);
  return () => {
    for (const [target, type] of network) target?.removeEventListener(type, run);
    for (const [target, type] of page) target?.removeEventListener(type, look);
  };
}
