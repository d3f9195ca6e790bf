/**
 * @import { NextFunction, Request, RequestHandler, Response, Router } from 'express'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Bans, Whom } from '../access/bans.js'
 * @import { TokenVerifier } from '../access/token.js'
 * @import { Recordings } from '../recording/recordings.js'
 */

import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import express from 'express';
import { roomNameError } from '../../public/shared/text.js';
import { networkOfClient } from '../network-address.js';
import { AnswerCache } from './answer-cache.js';
import { answerError } from './body.js';

/**
 * The types of a recording's files, by the end of their names.
 * @type {Readonly<Record<string, string>>}
 */
const TYPES = Object.freeze({
  '.opus': 'audio/ogg; codecs=opus',
  '.webm': 'audio/webm; codecs=opus',
  '.json': 'application/json; charset=utf-8',
  '.vtt': 'text/vtt; charset=utf-8',
});

/** Files that are shown, rather than saved. */
const SHOWN = new Set(['.json', '.vtt']);

/** The most recordings of a room that are listed. */
const MAX_LISTED = 100;

/**
 * @typedef {Pick<Recordings, 'describe' | 'locate' | 'whenRemoved' | 'isOpen' | 'wasRemoved' |
 *   'wholeBytes' | 'prepare'>} ServedRecordings
 *
 * @typedef {(request: Request<any>, room: string, grant?: Pick<Whom, 'identity' | 'tokenId'>) =>
 *   boolean} IsBanned whether whoever asks is banned from a room: by the network that they come
 *   from, or by their token
 */

/**
 * @param {Pick<Bans, 'has'>} bans
 * @param {(request: Request<any>) => { remoteAddress?: string }} [clientOf] a request's client,
 *   which is its socket unless a trusted proxy names another
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
 * Serves recordings to those who know a recording's id, and aren't banned from its room:
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
 * Lists the recordings of a room, the newest first, at GET /api/recordings?room=<room>: all of them
 * to those whose token lets them listen in it, and to everybody without a token the public ones; to
 * those who are banned from it, none.
 *
 * @param {object} options
 * @param {Pick<Recordings, 'list' | 'whenRemoved'>} options.recordings
 * @param {Pick<TokenVerifier, 'verify'> | null} options.verifier null where the server has no keys:
 *   then nobody can show that they belong to a room
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
 * The reason why there is no such recording.
 * @param {Pick<Recordings, 'wasRemoved'>} recordings
 * @param {string} id
 * @returns {ErrorCode}
 */
export const missing = (recordings, id) =>
  recordings.wasRemoved(id) ? 'recording-deleted' : 'not-found';

/**
 * Sends a file, whole or a range of it (RFC 9110, section 14). One that is being written has no
 * validator, and is as long as what of it is whole.
 * @param {ServedRecordings} recordings
 * @param {Request<any>} request
 * @param {Response} response
 * @param {{ id: string, root: string, file: string }} found
 * @param {NextFunction} next  answers what fails for another reason
 */
async function sendFile(recordings, request, response, { id, root, file }, next) {
  const grows = recordings.isOpen(id);
  const kind = extname(file);
  const known = await stat(join(root, file)).catch(() => null);
  // Sound is added to the end of its file; the files beside it are replaced by whole ones.
  const isCut = grows && kind === '.opus';
  const bytes = known?.isFile()
    ? isCut
      ? await recordings.wholeBytes(id, file, known.size)
      : known.size
    : 0;
  if (!known || bytes === 0) return answerError(response, missing(recordings, id));
  // No caches between: the id is a secret, and a recording can be deleted.
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
    // The range that there is stands in Content-Range (RFC 9110, section 15.5.17).
    if (status === 416) answerError(response, 'range-beyond');
    else if (status === 404) answerError(response, missing(recordings, id));
    else next(error);
  });
}
