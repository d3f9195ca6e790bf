/**
 * @import { NextFunction, Request, Response } from 'express'
 * @import { OutgoingHttpHeaders } from 'node:http'
 * @import { Cluster } from '../cluster/cluster.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 *
 * @typedef {(file: string, request: Request, response: Response, next: NextFunction, headers?:
 *   OutgoingHttpHeaders) => void} SendPage
 */

/** Pages of a room, below public/. */
const PAGES = Object.freeze({
  call: 'index.html',
  listen: 'listen/index.html',
  noEmbedding: 'listen/no-embedding.html',
});

/**
 * Chooses the page of a room: the call, or the light page for listeners. The light one is used if
 * the address asks for it or the room is live, but not with an invitation to the stage.
 *
 * @param {object} options
 * @param {Pick<RoomsByThread, 'inRoom'>} options.rooms
 * @param {Pick<Cluster, 'rulesOf'>} [options.cluster]  knows rooms of other nodes
 * @param {ReadonlyArray<string> | null} options.embedOrigins origins that may embed the listeners'
 *   page; null for none
 * @param {string} options.policy  Content-Security-Policy of all pages
 * @param {SendPage} options.send
 */
export function roomPage({ rooms, cluster, embedOrigins, policy, send }) {
  const embedded = framed(policy, embedOrigins ?? ['*']);
  /** @param {string} room */
  const isLive = async (room) => {
    const count = await rooms.inRoom(room, 'count');
    return count === 'not-found'
      ? typeof cluster?.rulesOf(room)?.broadcast?.since === 'number'
      : count.liveSeconds !== null;
  };
  return async (
    /** @type {Request} */ request,
    /** @type {Response} */ response,
    /** @type {NextFunction} */ next,
  ) => {
    const { listen, embed, stage } = request.query;
    if (embed !== undefined)
      return send(
        embedOrigins === null ? PAGES.noEmbedding : PAGES.listen,
        request,
        response,
        next,
        embedded,
      );
    const asks = listen !== undefined && listen !== 'off';
    const isLight =
      listen !== 'call' &&
      stage === undefined &&
      (asks || (await isLive(String(request.params.room))));
    send(isLight ? PAGES.listen : PAGES.call, request, response, next);
  };
}

/**
 * Headers of a page that other origins may embed in a frame, without a microphone.
 * @param {string} policy
 * @param {ReadonlyArray<string>} origins
 */
const framed = (policy, origins) => ({
  'Content-Security-Policy': policy.replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${origins.join(' ')}`,
  ),
  // Allows pages with Cross-Origin-Embedder-Policy, too.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Permissions-Policy': 'microphone=()',
});
