/**
 * Defines the operator's API in one table, the source of its routes and of their OpenAPI
 * description.
 *
 * @import { z } from 'zod'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { By } from '../room/rules/moderation.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 * @import { RoomAct } from '../host/host-acts.js'
 * @import { Readiness } from './status.js'
 * @import { Status } from './status.js'
 * @import { ClusterRooms } from './cluster-rooms.js'
 *
 * @typedef {object} Parts  targets of the routes
 * @property {Pick<RoomsByThread, 'rooms' | 'bans'> & Pick<ClusterRooms, 'inRoom'> &
 *   Partial<Pick<ClusterRooms, 'everything'>>} rooms
 * @property {Pick<Recordings, 'list' | 'remove'>} recordings
 * @property {Readiness} readiness
 * @property {string} version  of the server
 * @property {() => Promise<Status>} status
 *
 * @typedef {object} Asked
 * @property {Record<string, string>} params  of the path
 * @property {Record<string, string>} query  values that the route accepts
 * @property {unknown} body  validated by the route's schema
 * @property {boolean} isOperator  true if the request has the token
 * @property {By} by  the operator, for the log of acts in a room
 *
 * @typedef {object} Route
 * @property {'get' | 'post' | 'patch' | 'delete'} method
 * @property {string} path  in the syntax of Express
 * @property {string} summary
 * @property {'all' | 'less'} [open] needs no token; 'less': answers with less without it, and
 *   refuses a wrong one
 * @property {string} [audit] name of the action in the audit log; none for moderation, which the
 *   room logs
 * @property {(body: Record<string, unknown>) => object | null} [audited] the logged part of the
 *   body, all of it by default; null to log nothing
 * @property {string[]} [query]  names of accepted query values, all optional
 * @property {z.ZodType} [body]
 * @property {string} [allowed]  a sentence for senders of an invalid body
 * @property {number} [status]                of the answer, 200 by default; 204 has no body
 * @property {z.ZodType} [answer]
 * @property {ErrorCode[]} [refusals]  in addition to the refusals of every route
 * @property {(parts: Parts, asked: Asked) => Answer | Promise<Answer>} run
 * @property {(parts: Parts) => void} [after]  called after the answer was sent
 * @property {number} [otherwise]  status of the answers that isOtherwise() selects
 * @property {(answer: { status?: unknown }) => boolean} [isOtherwise]
 *
 * @typedef {object | ErrorCode | void} Answer  an error code is a refusal
 */

import { MAX_PASSWORD_LENGTH, MAX_SERVER_DELAY_MS } from '../../public/shared/limits.js';
import { MAX_BAN_MS } from '../access/bans.js';
import * as schemas from './schemas.js';

/** Limit of listed recordings, and of listed bans. */
const MAX_LISTED = 500;

/** Limit of listeners in one answer. */
const LISTENERS_PAGE = 100;

/** Refusals of requests that may go to another node. @type {ErrorCode[]} */
const ACROSS = ['node-silent', 'node-answer', 'cluster-unreachable'];

/**
 * Makes a handler that acts in the room of the path.
 * @param {RoomAct} act
 * @param {(asked: Asked) => unknown[]} [args]
 * @returns {Route['run']}
 */
const inRoom =
  (act, args = () => []) =>
  (parts, asked) =>
    parts.rooms.inRoom(asked.params.room, act, ...args(asked));

/** @type {ReadonlyArray<Route>} */
export const ROUTES = Object.freeze([
  {
    method: 'get',
    path: '/status',
    summary: 'The server: load, delay, packets, refusals',
    answer: schemas.status,
    run: ({ status }) => status(),
  },
  {
    method: 'get',
    path: '/rooms',
    summary: 'All rooms',
    answer: schemas.roomList,
    run: async ({ rooms }) => rooms.everything?.() ?? { rooms: await rooms.rooms() },
  },
  {
    method: 'patch',
    path: '/rooms/:room',
    summary: "Changes a running room's server-side delay, its mode, or its rules",
    audit: 'room changed',
    audited: ({ serverDelayMs }) => (serverDelayMs === undefined ? null : { serverDelayMs }),
    body: schemas.roomChange,
    allowed:
      'The body is to have one or more of "serverDelayMs": "auto", or a number from 0 to ' +
      `${MAX_SERVER_DELAY_MS} (ms); ` +
      '"mode": "mix", "forward" or "auto"; "locked", "lobby", "broadcast": true or false; ' +
      '"chat", "record": "everybody" or "moderators"; "password": 1 to ' +
      `${MAX_PASSWORD_LENGTH} characters, or null.`,
    answer: schemas.room,
    refusals: [
      'not-found',
      'too-many-requests',
      'e2e-room',
      'forward-reply',
      'broadcast-mix',
      'groups-broadcast',
      ...ACROSS,
    ],
    run: inRoom('change', ({ body, by }) => [body, by]),
  },
  {
    method: 'delete',
    path: '/rooms/:room',
    summary: 'Ends a room for everybody',
    status: 204,
    refusals: ['not-found', ...ACROSS],
    run: inRoom('end', ({ by }) => [by]),
  },
  {
    method: 'get',
    path: '/rooms/:room/listeners',
    summary:
      `The listeners of a room, ${LISTENERS_PAGE} at a time, in the order of their arrival; with ` +
      '"find" only those whose name contains it',
    query: ['after', 'find'],
    answer: schemas.listenerPage,
    refusals: ['not-found', ...ACROSS],
    run: inRoom('listeners', ({ query: { after, find } }) => [
      { after, find, most: LISTENERS_PAGE },
    ]),
  },
  {
    method: 'patch',
    path: '/rooms/:room/people/:id',
    summary: 'Mutes somebody, allows them to unmute, lowers their hand, or changes their role',
    body: schemas.personChange,
    allowed:
      'The body is to have one or more of "muted": true or false; "role": "moderator", ' +
      '"speaker" or "listener"; "hand": 0.',
    status: 204,
    refusals: ['not-found', 'person-unknown', 'server-full', ...ACROSS],
    run: inRoom('changePerson', ({ params, body, by }) => [params.id, body, by]),
  },
  {
    method: 'delete',
    path: '/rooms/:room/people/:id',
    summary: 'Removes somebody from a room',
    status: 204,
    refusals: ['not-found', 'person-unknown', ...ACROSS],
    run: inRoom('remove', ({ params, by }) => [params.id, {}, by]),
  },
  {
    method: 'post',
    path: '/rooms/:room/knocks/:id',
    summary: 'Admits somebody who waits in the lobby',
    status: 204,
    refusals: ['not-found', 'person-unknown', ...ACROSS],
    run: inRoom('admit', ({ params, by }) => [params.id, by]),
  },
  {
    method: 'delete',
    path: '/rooms/:room/knocks/:id',
    summary: 'Refuses somebody who waits in the lobby',
    status: 204,
    refusals: ['not-found', 'person-unknown', ...ACROSS],
    run: inRoom('turnAway', ({ params, by }) => [params.id, by]),
  },
  {
    method: 'get',
    path: '/bans',
    summary: `The last ${MAX_LISTED} bans of all rooms, including empty ones`,
    answer: schemas.banList,
    run: ({ rooms }) => ({ bans: rooms.bans.listAll(MAX_LISTED) }),
  },
  {
    method: 'get',
    path: '/rooms/:room/bans',
    summary: 'The bans of a room, which may be empty',
    answer: schemas.banList,
    refusals: ACROSS,
    run: async ({ rooms }, { params: { room } }) => {
      const found = await rooms.inRoom(room, 'bans');
      if (typeof found === 'string' && found !== 'not-found') return found;
      const bans = found === 'not-found' ? rooms.bans.list(room) : found;
      return { bans: bans.map((/** @type {object} */ ban) => ({ room, ...ban })) };
    },
  },
  {
    method: 'post',
    path: '/rooms/:room/bans',
    summary: 'Removes somebody from a room, and bans them from it for a time',
    body: schemas.newBan,
    allowed:
      'The body is to be {"person": ID, "seconds": S}: somebody in the room, and 1 to ' +
      `${MAX_BAN_MS / 1000} seconds.`,
    status: 204,
    refusals: ['not-found', 'person-unknown', 'ban-place', ...ACROSS],
    run: inRoom('remove', ({ body, by }) => {
      const { person, seconds } = /** @type {z.infer<typeof schemas.newBan>} */ (body);
      return [person, { banMs: seconds * 1000 }, by];
    }),
  },
  {
    method: 'delete',
    path: '/rooms/:room/bans/:id',
    summary: 'Lifts a ban of a room, which may be empty',
    audit: 'ban lifted',
    status: 204,
    refusals: ['not-found', ...ACROSS],
    run: async ({ rooms }, { params: { room, id }, by }) => {
      const done = await rooms.inRoom(room, 'unban', id, by);
      const isMissing = done === 'not-found' || done === 'person-unknown';
      if (done !== undefined && !isMissing) return done;
      // The room's node may not know a ban that was made while it was cut off.
      return rooms.bans.remove(room, id) || !isMissing ? undefined : 'not-found';
    },
  },
  {
    method: 'delete',
    path: '/rooms/:room/recording',
    summary: 'Stops the recording of a room; what was recorded is kept',
    audit: 'recording stopped',
    status: 204,
    refusals: ['not-found', ...ACROSS],
    run: inRoom('stopRecording', () => ['The server’s operator']),
  },
  {
    method: 'get',
    path: '/recordings',
    summary: `The last ${MAX_LISTED} recordings`,
    answer: schemas.recordingList,
    run: async ({ recordings }) => ({ recordings: await recordings.list(MAX_LISTED) }),
  },
  {
    method: 'delete',
    path: '/recordings/:id',
    summary: 'Deletes a recording that has ended',
    audit: 'recording deleted',
    status: 204,
    refusals: ['not-found'],
    run: async ({ recordings }, { params }) =>
      (await recordings.remove(params.id)) ? undefined : 'not-found',
  },
  {
    method: 'post',
    path: '/drain',
    summary: 'Admits nobody new, notifies the calls, and ends the server as SIGTERM does',
    audit: 'drain',
    status: 202,
    answer: schemas.readiness,
    run: () => ({ status: 'draining' }),
    after: ({ readiness }) => readiness.drain(),
  },
  {
    method: 'get',
    path: '/rooms/:room',
    summary: 'A room and its people; without the token only their number',
    open: 'less',
    answer: schemas.roomOrCount,
    refusals: ['not-found', ...ACROSS],
    run: (parts, { params: { room }, isOperator }) =>
      parts.rooms.inRoom(room, isOperator ? 'describe' : 'count'),
  },
  {
    method: 'get',
    path: '/health',
    summary: 'Answers while the server runs',
    open: 'all',
    answer: schemas.health,
    run: ({ version }) => ({ status: 'ok', version }),
  },
  {
    method: 'get',
    path: '/ready',
    summary: 'Tells if newcomers are admitted: 503 while the server starts and drains',
    open: 'all',
    answer: schemas.readiness,
    otherwise: 503,
    run: ({ readiness }) => ({ status: readiness.state }),
    isOtherwise: (answer) => answer.status !== 'ready',
  },
]);
