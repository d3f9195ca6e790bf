/**
 * Hosts that only devices on the same network reach, in the form of a URL's hostname. Addresses are
 * private (RFC 1918, RFC 4193), link-local (RFC 3927, RFC 4291), or behind a provider's NAT (RFC
 * 6598). Names are of multicast DNS (RFC 6762).
 */
const LOCAL = new RegExp(
  [
    /^10\.\d+\.\d+\.\d+$/,
    /^172\.(1[6-9]|2\d|3[01])\.\d+\.\d+$/,
    /^192\.168\.\d+\.\d+$/,
    /^169\.254\.\d+\.\d+$/,
    /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+$/,
    /^\[f[cd][0-9a-f]{2}:/,
    /^\[fe[89ab][0-9a-f]:/,
    /\.local$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/**
 * True for an address of a local network. Chrome asks people before a page from elsewhere connects
 * to one (Local Network Access, https://wicg.github.io/local-network-access/).
 * @param {string} url
 */
export const isLocalUrl = (url) => LOCAL.test(new URL(url).hostname);
