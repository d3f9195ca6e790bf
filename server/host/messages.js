/**
 * The messages between the main thread and a worker. All are plain data.
 *
 * @import { SharedEndpoint } from '@aloud/native'
 * @import { Config } from '../config/config.js'
 * @import { Cause, Fields, Level } from '../log.js'
 * @import { Fact } from '../room/room-config.js'
 * @import { RoomState } from '../state/portable-state.js'
 * @import { SessionStats, Transport } from '../session/session.js'
 * @import { HostAct } from './host-acts.js'
 * @import { Happening } from '../webhooks/webhooks.js'
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
export {};
