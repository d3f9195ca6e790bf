import { get } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * Asks over a connection of its own, which isn't kept.
 * @param {string} url
 * @returns {Promise<any>} the answer, read as JSON
 */
export async function answerOf(url) {
  return json(
    await new Promise((resolve, reject) => get(url, { agent: false }, resolve).on('error', reject)),
  );
}
