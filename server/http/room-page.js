/**
 * @import { NextFunction, Request, Response } from 'express'
 * @import { OutgoingHttpHeaders } from 'node:http'
 * @import { Cluster } from '../cluster/cluster.js'
 * @import { Directory } from '../host/directory.js'
 *
 * @typedef {(file: string, request: Request, response: Response, next: NextFunction, headers?:
 *   OutgoingHttpHeaders) => void} SendPage
 */

/** The pages of a room, below public/. */
const PAGES = Object.freeze({
  call: 'index.html',
  listen: 'listen/index.html',
  noEmbedding: 'listen/no-embedding.html',
});

/**
 * Chooses the page of a room: the call's; or the light one of those who only listen, where the
 * address asks for it and in a room that is live, unless somebody comes with an invitation to the
 * stage.
 *
 * @param {object} options
 * @param {Pick<Directory, 'inRoom'>} options.rooms
 * @param {Pick<Cluster, 'rulesOf'>} [options.cluster]  which knows of rooms of other nodes
 * @param {ReadonlyArray<string> | null} options.embedOrigins whose pages may embed the listeners'
 *   one; null for none
 * @param {string} options.policy  the Content-Security-Policy of all pages
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
 * The headers of a page that pages of other origins may have in a frame. It has no microphone
 * there.
 * @param {string} policy
 * @param {ReadonlyArray<string>} origins
 */
const framed = (policy, origins) => ({
  'Content-Security-Policy': policy.replace(
    "frame-ancestors 'none'",
    `frame-ancestors ${origins.join(' ')}`,
  ),
  // Pages with Cross-Origin-Embedder-Policy may have it as well.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Permissions-Policy': 'microphone=()',
});
