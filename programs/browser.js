/**
 * The package's export `aloud/browser` (docs/embedding.md): joins a room from a page that a bundler
 * builds. The client itself comes from the room's server, so that both have one version, and its
 * workers and worklets need no bundler.
 */

/**
 * @param {import('./browser.js').JoinOptions} options
 * @returns {Promise<import('./browser.js').Call>}
 */
export async function join(options) {
  const link = URL.canParse(options.room) ? new URL(options.room) : null;
  if (link === null || !/^https?:$/.test(link.protocol))
    throw new TypeError(`${options.room} is no link of a room, such as https://example.org/r/tea`);
  const client = await import(
    /* @vite-ignore */ /* webpackIgnore: true */ new URL('/public/aloud.js', link).href
  );
  return client.join(options);
}
