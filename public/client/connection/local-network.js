import { isLocalUrl } from '../../shared/local-host.js';

/**
 * True when the browser asks people before this page connects to a server: the server is on a local
 * network, the page comes from elsewhere, and nobody has answered yet. Chrome asks from version 147
 * on (Local Network Access).
 * @param {string} url  of the server
 * @param {{ navigator?: { permissions?: { query: (descriptor: any) => Promise<{ state: string }>
 *   } }, location?: { href: string } }} [scope]
 * @returns {Promise<boolean>}
 */
export async function asksForLocalNetwork(url, { navigator, location } = globalThis) {
  if (!navigator?.permissions || !isLocalUrl(url)) return false;
  if (location && isLocalUrl(location.href)) return false;
  try {
    return (await navigator.permissions.query({ name: 'local-network' })).state === 'prompt';
  } catch {
    // The browser doesn't know the name, and asks nobody.
    return false;
  }
}
