/** @import { Attack } from '../support/attack-process.js' */

import { setTimeout as pause } from 'node:timers/promises';

/** No attack: shows that the room beside is fine without one. @type {Attack} */
export async function attack({ isOver }) {
  while (!isOver()) await pause(10);
  return {};
}
