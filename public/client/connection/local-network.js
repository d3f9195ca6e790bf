import { isLocalUrl } from '../../shared/local-host.js';

/**
 * State of the permission to connect to a server on a local network, when this page comes from
 * elsewhere. Chrome asks people from version 147 on (Local Network Access).
 * @param {string} url  of the server; '' for the page's own
 * @param {{ navigator?: { permissions?: { query: (descriptor: any) => Promise<{ state: string }>
 *   } }, location?: { href: string } }} [scope]
 * @returns {Promise<string | null>} 'prompt' before an answer, 'granted' or 'denied'; null when no
 *   permission is needed
 */
export async function localNetworkPermission(url, { navigator, location } = globalThis) {
  if (!navigator?.permissions || url === '' || !isLocalUrl(url)) return null;
  if (location && isLocalUrl(location.href)) return null;
  try {
    return (await navigator.permissions.query({ name: 'local-network' })).state;
  } catch {
    // The browser doesn't know the name, and asks nobody.
    return null;
  }
}
