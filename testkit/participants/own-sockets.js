/**
 * Sockets of this process as `netstat` shows them, read from the kernel's tables in /proc. Linux
 * only; elsewhere there are none.
 */

import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** Tables of the kernel, by protocol. */
const TABLES = Object.freeze([
  ['tcp', '/proc/self/net/tcp'],
  ['tcp', '/proc/self/net/tcp6'],
  ['udp', '/proc/self/net/udp'],
  ['udp', '/proc/self/net/udp6'],
]);

/** Code of an established connection in the table of TCP. */
const ESTABLISHED = '01';

/**
 * @typedef {object} OwnSockets
 * @property {number} connections  established over TCP
 * @property {number} sendQueueBytes  netstat's Send-Q of all of them and of the UDP sockets: bytes
 *   that aren't sent, or sent and not acknowledged
 */

/** @returns {OwnSockets} current state of this process's sockets */
export function ownSockets() {
  const own = new Set(inodesOfThisProcess());
  let connections = 0;
  let sendQueueBytes = 0;
  for (const [protocol, path] of TABLES) {
    for (const line of readOrNothing(path).split('\n').slice(1)) {
      const [, , , state, queues, , , , , inode] = line.trim().split(/\s+/);
      if (!own.has(inode) || (protocol === 'tcp' && state !== ESTABLISHED)) continue;
      if (protocol === 'tcp') connections += 1;
      sendQueueBytes += parseInt(queues, 16);
    }
  }
  return { connections, sendQueueBytes };
}

/** @returns {string[]} inodes of the open sockets */
function inodesOfThisProcess() {
  const folder = '/proc/self/fd';
  try {
    return readdirSync(folder).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOrNothing(`${folder}/${fd}`)) ?? [];
      return inode ?? [];
    });
  } catch {
    return [];
  }
}

/** @param {string} path of a descriptor, which may have been closed since */
function linkOrNothing(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** @param {string} path of a table that a kernel may lack, such as that of IPv6 */
function readOrNothing(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Interval between two looks, in milliseconds. */
const LOOK_MS = 20;

let opened = 0;
subscribe('undici:client:connected', () => void (opened += 1));

/** Notes this process's connections through a run: new ones of fetch, and all sockets. */
export class SocketNotes {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {(OwnSockets & { atMs: number })[]} */
  #looks = [];
  #openedBefore = 0;

  /** Begins again, without notes. */
  begin() {
    this.stop();
    this.#looks = [];
    this.#openedBefore = opened;
    this.#timer = setInterval(
      () => this.#looks.push({ atMs: performance.now(), ...ownSockets() }),
      LOOK_MS,
    );
  }

  /**
   * Ends the notes.
   * @returns {{ opened: number, looks: (OwnSockets & { atMs: number })[] }} opened: connections of
   *   fetch since the beginning; atMs: on performance.now()
   */
  take() {
    this.stop();
    return { opened: opened - this.#openedBefore, looks: this.#looks };
  }

  stop() {
    clearInterval(this.#timer);
  }
}
