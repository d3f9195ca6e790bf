/** An attack, in a process of its own, so that its work isn't the listener's. */

import { serve } from '../../../testkit/participants/child.js';

/**
 * @typedef {object} Target  what is attacked
 * @property {string} origin         of the page
 * @property {string} host           its address
 * @property {number} port           TCP
 * @property {number | null} h3Port  UDP; null without HTTP/3
 * @property {number} pid            the server's process
 * @property {string} from the attacker's own address, another one than the participants': to be
 *   given to sockets as `localAddress`. Any of 127.0.0.0/8 will do too
 * @property {() => boolean} isOver  true when the attack's time is up
 *
 * A function `attack` of a module in test/hostile/attacks/. It goes on until its time is up, ends
 * what it has opened, and returns its counts. An attack that is refused or cut off goes on with new
 * connections.
 * @typedef {(target: Target, options: any) => Promise<Record<string, any>>} Attack
 */

serve(
  {
    /**
     * @param {{ module: string, target: Omit<Target, 'isOver'>, seconds: number, options: object }}
     *   task
     * @returns {Promise<object>} counters of the attack
     */
    async run({ module, target, seconds, options }) {
      const { attack } = await import(module);
      const endMs = performance.now() + 1000 * seconds;
      return attack({ ...target, isOver: () => performance.now() >= endMs }, options);
    },
  },
  () => {},
);
