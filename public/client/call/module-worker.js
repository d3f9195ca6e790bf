/**
 * Starts a worker from a module, also for a page of another origin. Browsers start a worker only
 * from the page's own origin. Its module may import from any origin that shares it (HTML standard,
 * "Worker" constructor).
 * @param {URL} url of the module
 */
export function startWorker(url) {
  if (url.origin === (globalThis.location?.origin ?? 'null'))
    return new Worker(url, { type: 'module' });
  const source = new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' });
  const own = URL.createObjectURL(source);
  const worker = new Worker(own, { type: 'module' });
  // The worker has read it by then.
  worker.addEventListener('message', () => URL.revokeObjectURL(own), { once: true });
  return worker;
}
