/**
 * @import { IncomingMessage } from 'node:http'
 * @import { NextFunction, RequestHandler, Response, Router } from 'express'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Bans, Whom } from '../access/bans.js'
 * @import { ResumeTokens } from '../access/resume-token.js'
 * @import { TokenVerifier } from '../access/token.js'
 * @import { Recordings } from '../recording/recordings.js'
 */

import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express from 'express';
import { roomNameError } from '../../public/shared/text.js';
import { networkOfClient } from '../network-address.js';
import { MAX_OWN_PIECE_BYTES } from '../../public/shared/limits.js';
import { answerError, readBody } from '../request/body.js';

/** Types of a recording's files by extension. @type {Readonly<Record<string, string>>} */
const TYPES = Object.freeze({
  '.opus': 'audio/ogg; codecs=opus',
  '.webm': 'audio/webm; codecs=opus',
  '.wav': 'audio/wav',
  '.json': 'application/json; charset=utf-8',
  '.vtt': 'text/vtt; charset=utf-8',
});

/** Files for display, not for saving. */
const SHOWN = new Set(['.json', '.vtt']);

/** Limit of recordings listed for a room. */
const MAX_LISTED = 100;

/**
 * @typedef {Pick<Recordings, 'describe' | 'locate' | 'whenRemoved' | 'isOpen' | 'wasRemoved' |
 *   'wholeBytes' | 'prepare'>} ServedRecordings
 *
 * @typedef {(request: IncomingMessage, room: string, grant?: Pick<Whom, 'identity' | 'tokenId'>) =>
 *   boolean} IsBanned tells whether the sender of a request is banned from a room, by network or
 *   token
 */

/**
 * @param {Pick<Bans, 'has'>} bans
 * @param {(request: IncomingMessage) => { remoteAddress?: string }} [clientOf] client of a request:
 *   its socket, unless a trusted proxy names another
 * @returns {IsBanned}
 */
export const bannedBy =
  (bans, clientOf = ({ socket }) => socket) =>
  (request, room, { identity, tokenId } = { identity: null, tokenId: null }) =>
    bans.has(room, {
      identity,
      tokenId,
      network: networkOfClient(clientOf(request).remoteAddress),
    });

/**
 * Serves recordings to clients that know the id and aren't banned from the room:
 * /api/recordings/<id>/.
 *
 * @param {ServedRecordings} recordings
 * @param {IsBanned} isBanned
 * @param {Pick<Clock, 'now'>} clock
 * @returns {Router}
 */
export function recordingsApi(recordings, isBanned, clock) {
  const api = express.Router();
  /** @type {AnswerCache<ReturnType<Recordings['describe']>>} */
  const descriptions = new AnswerCache(clock);
  recordings.whenRemoved((id) => descriptions.invalidate(id));
  const describe = (/** @type {string} */ id) =>
    descriptions.get(id, () => recordings.describe(id));
  api.get('/:id', async (request, response) => {
    const { id } = request.params;
    const description = await describe(id);
    if (!description) answerError(response, missing(recordings, id));
    else if (isBanned(request, description.room)) answerError(response, 'banned');
    else response.json(description);
  });
  api.get('/:id/:file', async (request, response, next) => {
    const { id, file } = request.params;
    const description = await describe(id);
    if (description && isBanned(request, description.room)) return answerError(response, 'banned');
    const refusal = await recordings.prepare(id, file);
    const found = refusal === null ? recordings.locate(id, file) : null;
    if (found) await sendFile(recordings, request, response, { id, ...found }, next);
    else answerError(response, refusal ?? missing(recordings, id));
  });
  return api;
}

/**
 * Lists the recordings of a room, the newest first, at GET /api/recordings?room=<room>. A token
 * with the permission to listen shows all of them; without a token only public ones are shown,
 * and banned clients see none.
 *
 * @param {object} options
 * @param {Pick<Recordings, 'list' | 'whenRemoved'>} options.recordings
 * @param {Pick<TokenVerifier, 'verify'> | null} options.verifier null if the server has no keys:
 *   then nobody can prove membership of a room
 * @param {IsBanned} options.isBanned
 * @param {Pick<Clock, 'now'>} options.clock
 * @returns {RequestHandler}
 */
export function recordingsList({ recordings, verifier, isBanned, clock }) {
  /** @type {AnswerCache<ReturnType<Recordings['list']>>} */
  const lists = new AnswerCache(clock);
  recordings.whenRemoved(() => lists.invalidate(''));
  return async (request, response, next) => {
    const { room } = request.query;
    if (room === undefined) return next();
    if (typeof room !== 'string' || roomNameError(room) !== null)
      return answerError(response, 'room-name');
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const admission = verifier && token !== undefined ? await verifier.verify(token, room) : null;
    if (typeof admission === 'string') return answerError(response, admission);
    if (isBanned(request, room, admission?.grant)) return answerError(response, 'banned');
    const mayHear = admission !== null && !admission.grant.withheld.has('listen');
    const all = await lists.get('', () => recordings.list(Infinity));
    response.json({
      recordings: all
        .filter((one) => one.room === room && (mayHear || one.isPublic))
        .slice(0, MAX_LISTED),
    });
  };
}

/**
 * Accepts recordings from people's own devices, piece by piece: PUT /api/recordings/<id>/own?at=
 * with the place of the piece in the file. A person shows their resume token.
 *
 * @param {object} options
 * @param {Pick<Recordings, 'roomOf' | 'addOwn' | 'wasRemoved'>} options.recordings
 * @param {Pick<ResumeTokens, 'read'>} options.tokens
 * @param {IsBanned} options.isBanned
 * @returns {RequestHandler<{ id: string }>}
 */
export function ownTracks({ recordings, tokens, isBanned }) {
  return (request, response, next) => {
    const { id } = request.params;
    const at = typeof request.query.at === 'string' ? Number(request.query.at) : NaN;
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const add = async (/** @type {Buffer | null} */ piece) => {
      if (piece === null) return answerError(response, 'body-too-large');
      const room = await recordings.roomOf(id);
      if (room === null) return answerError(response, missing(recordings, id));
      const place = tokens.read(token, room);
      if (place === null) return answerError(response, 'own-refused');
      if (isBanned(request, room, place.grant)) return answerError(response, 'banned');
      const refusal = await recordings.addOwn(id, place.key, at, piece);
      if (refusal) answerError(response, refusal);
      else response.status(204).end();
    };
    readBody(request, MAX_OWN_PIECE_BYTES, (piece) => void add(piece).catch(next));
  };
}

/**
 * Chooses the error for a missing recording.
 * @param {Pick<Recordings, 'wasRemoved'>} recordings
 * @param {string} id
 * @returns {ErrorCode}
 */
export const missing = (recordings, id) =>
  recordings.wasRemoved(id) ? 'recording-deleted' : 'not-found';

/**
 * Sends a file, whole or a range of it (RFC 9110, section 14). A growing file has no validator, and
 * only its whole pages count.
 * @param {ServedRecordings} recordings
 * @param {IncomingMessage} request
 * @param {Response} response
 * @param {{ id: string, root: string, file: string }} found
 * @param {NextFunction} next  handles other failures
 */
async function sendFile(recordings, request, response, { id, root, file }, next) {
  const grows = recordings.isOpen(id);
  const kind = extname(file);
  const known = await stat(join(root, file)).catch(() => null);
  // Sound files grow; the files beside them are replaced as a whole.
  const isCut = grows && kind === '.opus';
  const bytes = known?.isFile()
    ? isCut
      ? await recordings.wholeBytes(id, file, known.size)
      : known.size
    : 0;
  if (!known || bytes === 0) return answerError(response, missing(recordings, id));
  // Shared caches are excluded: the id is a secret, and a recording can be deleted.
  if (!grows)
    response.set({
      ETag: `"${bytes.toString(36)}-${Math.round(known.mtimeMs).toString(36)}"`,
      'Cache-Control': 'private, no-cache',
    });
  const headers = {
    'Content-Type': TYPES[kind],
    ...(!SHOWN.has(kind) && { 'Content-Disposition': `attachment; filename="${file}"` }),
  };
  const options = {
    root,
    headers,
    cacheControl: false,
    dotfiles: /** @type {const} */ ('allow'),
    etag: false,
    lastModified: !grows,
    ...(isCut && { end: bytes - 1 }),
  };
  response.sendFile(file, options, (error) => {
    if (!error || response.headersSent || response.destroyed) return;
    const { status } = /** @type {Error & { status?: number }} */ (error);
    for (const name of ['ETag', 'Last-Modified', 'Content-Disposition', 'Accept-Ranges'])
      response.removeHeader(name);
    // Content-Range gives the available range (RFC 9110, section 15.5.17).
    if (status === 416) answerError(response, 'range-beyond');
    else if (status === 404) answerError(response, missing(recordings, id));
    else next(error);
  });
}

/** Time for which an answer is reused, in milliseconds. */
const KEEP_MS = 1000;

/** Limit of cached answers; beyond it the cache is cleared. */
const MAX_KEPT = 1000;

/**
 * Caches expensive answers, such as the description of a full room: each is made at most once a
 * second.
 * @template T
 */
export class AnswerCache {
  #clock;
  /** @type {Map<string, { madeMs: number, answer: T }>} */
  #kept = new Map();

  /** @param {Pick<Clock, 'now'>} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /**
   * @param {string} key
   * @param {() => T} make
   * @returns {T}
   */
  get(key, make) {
    const now = this.#clock.now();
    const kept = this.#kept.get(key);
    if (kept && now - kept.madeMs < KEEP_MS) return kept.answer;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    const answer = make();
    this.#kept.set(key, { madeMs: now, answer });
    return answer;
  }

  /** Drops a cached answer after a change. @param {string} key */
  invalidate(key) {
    this.#kept.delete(key);
  }
}
