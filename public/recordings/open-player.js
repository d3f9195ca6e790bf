import { HttpPlayer } from './http-player.js';

/** @import { Player, PlayerEvents } from './http-player.js' */

/**
 * Opens what plays a recording here: over WebTransport where that is there, else over HTTP.
 * `?via=http` in the page's address has it over HTTP, `?rule=` has the server choose rates by
 * another rule; both are for comparison.
 * @param {{ id: string, url: string, seconds: number }} recording
 * @param {PlayerEvents} events
 * @returns {Promise<Player | null>} null where nothing can play it
 */
export async function openPlayer({ id, url, seconds }, events) {
  const query = new URLSearchParams(location.search);
  const overHttp = () => openOverHttp({ url, seconds }, events);
  if (query.get('via') === 'http') return overHttp();
  try {
    return (await openSegmentPlayer(id, query.get('rule') ?? undefined, events)) ?? overHttp();
  } catch (error) {
    console.info('the recording is played over HTTP:', error);
    return overHttp();
  }
}

/**
 * @param {{ url: string, seconds: number }} recording
 * @param {PlayerEvents} events
 * @returns {Player | null} null where the browser plays none of its files
 */
export const openOverHttp = ({ url, seconds }, events) =>
  HttpPlayer.playable ? new HttpPlayer(url, seconds, events) : null;

/**
 * @param {string} id
 * @param {string | undefined} rule
 * @param {PlayerEvents} events
 * @returns {Promise<Player | null>} null where the server or the browser has no WebTransport
 */
async function openSegmentPlayer(id, rule, events) {
  const { SegmentPlayer } = await import('./segment-player.js');
  if (!SegmentPlayer.playable) return null;
  const { transports } = await (await fetch('/api/config')).json();
  const {
    host = location.hostname,
    recordings,
    port,
    certificateHashes,
  } = transports.webtransport ?? {};
  if (!recordings) return null;
  const url = `https://${host}:${port}${recordings}?id=${encodeURIComponent(id)}`;
  return SegmentPlayer.open({ url, hashes: certificateHashes, rule }, events);
}
