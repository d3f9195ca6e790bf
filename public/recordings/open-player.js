import { HttpPlayer } from './http-player.js';

/** @import { Player, PlayerEvents } from './http-player.js' */

/**
 * Opens what plays a recording here.
 * @param {{ id: string, url: string, seconds: number, on: boolean }} recording
 * @param {PlayerEvents} events
 * @returns {Promise<Player | null>} null where nothing can play it
 */
export async function openPlayer({ url, seconds }, events) {
  return HttpPlayer.playable ? new HttpPlayer(url, seconds, events) : null;
}
