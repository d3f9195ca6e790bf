/**
 * The operator's API as one table: from it come the routes and their description in OpenAPI.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Rooms } from '../room/rooms.js'
 * @import { Readiness } from './readiness.js'
 * @import { Status } from './status.js'
 *
 * @typedef {object} Parts  what the routes act on
 * @property {Pick<Rooms, 'get' | 'values'>} rooms
 * @property {Pick<Recordings, 'list' | 'remove'>} recordings
 * @property {Readiness} readiness
 * @property {() => Status} status
 *
 * @typedef {object} Asked
 * @property {Record<string, string>} params  of the path
 * @property {any} body                       as the route's schema has it
 * @property {boolean} isOperator             whether the request has the token
 *
 * @typedef {object} Route
 * @property {'get' | 'post' | 'patch' | 'delete'} method
 * @property {string} path                    as Express has it
 * @property {string} summary
 * @property {boolean} [open]                 whether it needs no token; a wrong one is refused all the same
 * @property {string} [audit]                 what the audit log says was done; for routes that change something
 * @property {import('zod').ZodType} [body]
 * @property {string} [allowed]               a sentence for who sends another body
 * @property {number} [status]                of the answer, 200 by default; 204 has no body
 * @property {import('zod').ZodType} [answer]
 * @property {ErrorCode[]} [refusals]         besides those that every route has
 * @property {(parts: Parts, asked: Asked) => Answer | Promise<Answer>} run
 * @property {(parts: Parts) => void} [after]  called when the answer has been sent
 * @property {number} [otherwise]             another status, of answers that isOtherwise() picks
 * @property {(answer: any) => boolean} [isOtherwise]
 *
 * @typedef {object | ErrorCode | void} Answer  a code refuses
 */

import { MAX_SERVER_DELAY_MS } from '../config/options.js';
import * as schemas from './schemas.js';

/** The most recordings that are listed. */
const MAX_LISTED = 500;

/**
 * Runs with the room that a path names.
 * @param {(room: import('../room/room.js').Room, asked: Asked) => Answer | Promise<Answer>} run
 * @returns {Route['run']}
 */
const inRoom = (run) => (parts, asked) => {
  const room = parts.rooms.get(asked.params.room);
  return room ? run(room, asked) : 'not-found';
};

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
    run: ({ rooms }) => ({ rooms: [...rooms.values()].map((room) => room.view.summary()) }),
  },
  {
    method: 'patch',
    path: '/rooms/:room',
    summary: "Changes a running room's server-side delay",
    audit: 'room changed',
    body: schemas.roomChange,
    allowed: `The body is to be {"serverDelayMs": D}: "auto", or a number from 0 to ${MAX_SERVER_DELAY_MS} (ms).`,
    answer: schemas.room,
    refusals: ['not-found'],
    run: inRoom((room, { body }) => {
      room.setDelay(body.serverDelayMs);
      return room.describe();
    }),
  },
  {
    method: 'delete',
    path: '/rooms/:room',
    summary: 'Ends a room for everybody',
    audit: 'room ended',
    status: 204,
    refusals: ['not-found'],
    run: inRoom((room) => room.endForAll()),
  },
  {
    method: 'delete',
    path: '/rooms/:room/people/:id',
    summary: 'Removes somebody from a room',
    audit: 'person removed',
    status: 204,
    refusals: ['not-found'],
    run: inRoom((room, { params }) => (room.remove(params.id) ? undefined : 'not-found')),
  },
  {
    method: 'delete',
    path: '/rooms/:room/recording',
    summary: 'Stops the recording of a room; what was recorded is kept',
    audit: 'recording stopped',
    status: 204,
    refusals: ['not-found'],
    run: inRoom((room) => (room.stopRecording() ? undefined : 'not-found')),
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
    run: async ({ recordings }, { params }) => ((await recordings.remove(params.id)) ? undefined : 'not-found'),
  },
  {
    method: 'post',
    path: '/drain',
    summary: 'Lets nobody new in, tells the calls, and ends the server as SIGTERM does',
    audit: 'drain',
    status: 202,
    answer: schemas.readiness,
    run: () => ({ status: 'draining' }),
    after: ({ readiness }) => readiness.drain(),
  },
  {
    method: 'get',
    path: '/rooms/:room',
    summary: 'A room and its people; without the token no more than how many there are',
    open: true,
    answer: schemas.roomOrCount,
    refusals: ['not-found'],
    run: inRoom((room, { isOperator }) => (isOperator ? room.describe() : room.view.count())),
  },
  {
    method: 'get',
    path: '/health',
    summary: 'Whether the server answers at all',
    open: true,
    answer: schemas.health,
    run: () => ({ status: 'ok' }),
  },
  {
    method: 'get',
    path: '/ready',
    summary: 'Whether newcomers are let in: 503 while the server starts and drains',
    open: true,
    answer: schemas.readiness,
    otherwise: 503,
    run: ({ readiness }) => ({ status: readiness.state }),
    isOtherwise: (answer) => answer.status !== 'ready',
  },
]);
