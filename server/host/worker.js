/**
 * A worker thread: a room host whose sessions come from the native engine and, through rings, from
 * the main thread.
 *
 * @import { SharedEndpoint } from '@aloud/native'
 * @import { Config } from '../config/config.js'
 * @import { Cause, Fields, Level, Log, WriteLine } from '../log.js'
 * @import { Elsewhere, Fact } from '../room/room-config.js'
 * @import { SessionStats, Transport } from '../session/session.js'
 * @import { RoomState } from '../state/portable-state.js'
 * @import { Happening } from '../webhooks/webhooks.js'
 * @import { HostAct, HostArgs } from './host-acts.js'
 */

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../public/shared/clock.js';
import { ResumeTokens } from '../access/resume-token.js';
import { stackOf } from '../log.js';
import { loadPlugin } from '../plugin.js';
import { PortTransport } from '../transport/webtransport-port.js';
import { callAct } from './host-acts.js';
import { LinkedSessions } from './linked-session.js';
import { RoomHost } from './room-host.js';
import { RoomWatch } from './room-watch.js';
import { Tally } from './tally.js';

/**
 * The messages between the main thread and a worker. All are plain data.
 *
 * @typedef {object} WorkerData  start data of a worker
 * @property {Config} config
 * @property {number} number  of the host: the main thread's is 0
 * @property {SharedEndpoint | null} endpoint of WebTransport; null when the native engine doesn't
 *   serve it
 * @property {{ toWorker: SharedArrayBuffer, toFront: SharedArrayBuffer }} rings
 * @property {SharedArrayBuffer} tally
 * @property {Fact[]} facts  known to the other hosts already
 * @property {RoomState[]} rooms to be reopened, after their worker has ended
 * @property {string | Uint8Array} tokenKey  signs resume tokens
 * @property {string | null} pluginFile  null without a plugin
 * @property {number | null} draining seconds until the rooms end; null while newcomers are
 *   let in
 *
 * @typedef {{ type: 'link', id: number, peer: string, room: string | undefined, message: unknown,
 *   transport: Pick<Transport, 'name' | 'engine' | 'replyOnly'> }
 *   | { type: 'control', id: number, message: unknown }
 *   | { type: 'link-stats', id: number, stats: SessionStats }
 *   | { type: 'unlink', id: number, code: number, reason: string }} Link  about one session of the
 *   main thread
 *
 * @typedef {{ type: 'tell', ids: number[], message: object } | { type: 'mark', id: number }
 *   | { type: 'close', id: number, code: number, reason: string }} LinkAnswer
 *
 * @typedef {Link | { type: 'call', call: number, act: HostAct, args: unknown[] }
 *   | { type: 'fact', fact: Fact }
 *   | { type: 'end' }} ToWorker
 *
 * @typedef {{ type: 'ready', port: number } | { type: 'links', answers: LinkAnswer[] }
 *   | { type: 'answer', call: number, value?: unknown, error?: string }
 *   | { type: 'fact', fact: Fact }
 *   | { type: 'opened', room: string } | { type: 'ended', room: string }
 *   | { type: 'state', state: RoomState }
 *   | { type: 'happened', happening: Happening }
 *   | { type: 'log', level: Level, fields: Fields, message: string,
 *     cause: Cause | undefined }} ToFront
 */

const main = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const { config, tokenKey, number, endpoint, rings, tally, facts, rooms, draining, pluginFile } =
  /** @type {WorkerData} */ (workerData);

/** @param {ToFront} message */
const post = (message) => main.postMessage(message);

/** @param {Level} level @returns {WriteLine} */
const lineOf = (level) => (fields, message, cause) =>
  post({ type: 'log', level, fields: { ...fields, worker: number }, message, cause });

/** The main thread's log. @type {Log} */
const log = {
  error: lineOf('error'),
  warn: lineOf('warn'),
  info: lineOf('info'),
  debug: lineOf('debug'),
};

const clock = systemClock;
const count = new Tally(tally, number);
const watch = new RoomWatch({ clock, log, tell: (state) => post({ type: 'state', state }) });

/** @type {Elsewhere} */
const elsewhere = {
  others: count.others,
  publish: count.publish,
  tell: (fact) => post({ type: 'fact', fact }),
  opened(room) {
    post({ type: 'opened', room: room.name });
    watch.changed(room);
  },
  changed: (room) => watch.changed(room),
  ended(room) {
    watch.ended(room);
    post({ type: 'ended', room: room.name });
  },
};

const tokens = new ResumeTokens({ key: tokenKey });
const plugin = await loadPlugin(pluginFile);
const host = await RoomHost.open(config, {
  clock,
  wallNow: Date.now,
  log,
  plugin,
  tokens,
  elsewhere,
  happened: (happening) => post({ type: 'happened', happening }),
});
for (const fact of facts) host.heard(fact);
if (draining !== null) host.rooms.drain(draining);
for (const state of rooms) reopen(state);

const { accept } = host.arrivals;
const links = new LinkedSessions({
  rings,
  accept,
  log,
  clock,
  send: (answers) => post({ type: 'links', answers }),
});
const transport =
  endpoint &&
  new PortTransport({
    endpoint,
    accept,
    maxSessions: config.maxSessions,
    Session: plugin.engine?.(config)?.Session,
    clock,
    log,
  });
host.ticks.pollWith(() => {
  transport?.poll();
  links.poll();
});
host.ticks.sendWith(transport);
host.ticks.wakeWith(transport);

/** @param {WorkerData['rooms'][number]} state */
function reopen(state) {
  try {
    host.rooms.restore(state);
  } catch (error) {
    log.error(
      { event: 'room-not-reopened', room: state.name, error: stackOf(error) },
      'room could not be reopened',
    );
  }
  if (host.rooms.get(state.name)) return;
  post({ type: 'ended', room: state.name });
  post({ type: 'happened', happening: { event: 'room_finished', room: state.name } });
}

/** @param {ToWorker & { type: 'call' }} asked */
async function answer({ call, act, args }) {
  try {
    const value = await callAct(host, act, /** @type {HostArgs<typeof act>} */ (args));
    post({ type: 'answer', call, value });
  } catch (error) {
    post({ type: 'answer', call, error: String(stackOf(error)) });
  }
}

/** Ends all sessions, sends the last messages, and ends the thread. */
async function end() {
  await host.close();
  await transport?.close();
  watch.close();
  links.close();
  main.close();
}

main.on('message', (/** @type {ToWorker} */ message) => {
  if (message.type === 'call') void answer(message);
  else if (message.type === 'fact') host.heard(message.fact);
  else if (message.type === 'end') void end();
  else links.take(message);
});
post({ type: 'ready', port: transport?.number ?? 0 });
