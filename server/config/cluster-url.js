/** The most servers that may be named. */
const MAX_SERVERS = 16;

/** What is allowed, in words. */
export const CLUSTER_URL_ALLOWED =
  'nats://HOST:PORT or tls://HOST:PORT, several separated by commas, with USER:PASSWORD@ or ' +
  'TOKEN@ before the first host where NATS asks for it';

/**
 * Reads where the cluster's NATS servers are.
 * @param {unknown} value  "nats://user:password@a:4222,nats://b:4222"
 * @returns {{ servers: string[], user?: string, pass?: string, token?: string, tls?: object } |
 *   null} as NATS's client takes it; null where it can't be read
 */
export function readClusterUrl(value) {
  if (typeof value !== 'string' || value.length > 4096) return null;
  const parts = value.split(',').map((part) => part.trim());
  if (parts.length > MAX_SERVERS) return null;
  /** @type {URL[]} */
  const urls = [];
  for (const part of parts) {
    if (!/^(nats|tls):\/\/[^/?#]+\/?$/.test(part) || !URL.canParse(part)) return null;
    const url = new URL(part);
    if (url.hostname === '' || url.port === '0') return null;
    urls.push(url);
  }
  const [{ protocol, username, password }] = urls;
  if (urls.some((url) => url.protocol !== protocol)) return null;
  try {
    const [name, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return {
      servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
      ...(secret !== '' ? { user: name, pass: secret } : name !== '' && { token: name }),
      ...(protocol === 'tls:' && { tls: {} }),
    };
  } catch {
    return null;
  }
}

/** The same without who and password. @param {string} value */
export const withoutCredentials = (value) => value.replaceAll(/\/\/[^@,]*@/g, '//');
