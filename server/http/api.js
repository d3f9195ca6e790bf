/**
 * @import { IncomingMessage } from 'node:http'
 * @import { RequestHandler, Router } from 'express'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Cluster } from '../cluster/cluster.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { ResumeTokens } from '../access/resume-token.js'
 * @import { TokenVerifier } from '../access/token.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { RoomsByThread } from '../host/rooms-by-thread.js'
 * @import { AddedTransport } from '../plugin.js'
 */

import express from 'express';
import { systemClock } from '../../public/shared/clock.js';
import { MAX_ROOM_NAME, MAX_USER_NAME, roomNameError } from '../../public/shared/text.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { MAX_PIECE_BYTES } from '../../public/shared/wire/track-piece.js';
import { VERSION } from '../packages.js';
import { answerError, readBody } from '../request/body.js';
import { bannedBy, ownTracks, recordingsApi, recordingsList } from './recordings-api.js';

/**
 * @typedef {object} ApiOptions
 * @property {{ hashes: string[] }} certificate hashes: SHA-256 in base64; none if browsers trust
 *   the certificate
 * @property {{ certificateHash?: () => string, offer?: object, recordingPath?: string | null } |
 *   null} [http3] certificateHash: of the certificate in use, which may be an older one; offer:
 *   properties from a plugin; recordingPath: of sessions for a recording
 * @property {number | null} h3Port              UDP; null without HTTP/3
 * @property {string} [h3Host] its address, if it has a single one of IPv4
 * @property {string} sessionPath  path of WebTransport and WebSocket sessions
 * @property {AddedTransport | null} [added] from a plugin
 * @property {string} [labModule]  path of a plugin's module for the page /lab
 * @property {Record<string, string>} unavailable  a sentence for each unavailable transport
 * @property {Pick<RoomsByThread, 'inRoom' | 'trackPiece' | 'putTrackPiece' | 'bans'>} rooms
 * @property {Recordings} [recordings]
 * @property {(request: IncomingMessage) => { remoteAddress?: string }} [clientOf] client of a
 *   request; by default its connection's peer
 * @property {TokenVerifier | null} [verifier]  null if the server has no keys
 * @property {Pick<ResumeTokens, 'read'>} [tokens]  reads resume tokens
 * @property {RequestHandler} [operatorApi] the operator's part of the API, with the public data of
 *   rooms
 * @property {Pick<Cluster, 'find' | 'nodes' | 'rulesOf'>} [cluster]  the cluster of this node
 * @property {Pick<SampleClock, 'now' | 'sampleRate'>} sampleClock
 * @property {Clock} [clock]
 */

/**
 * Serves /api, except for requests of the HTTP/1 transport.
 * @param {ApiOptions} options
 * @returns {Router}
 */
export function createApi({
  rooms,
  recordings,
  sampleClock,
  operatorApi,
  cluster,
  clock = systemClock,
  ...served
}) {
  const api = express.Router();
  api.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  api.get('/config', async (request, response) => {
    response.json({
      ...describeServer(served, request.headers.host),
      ...(cluster && (await describeCluster(cluster, request.query.room))),
    });
  });
  api.get('/clock', async (request, response) => {
    const { room } = request.query;
    const read = typeof room === 'string' ? await rooms.inRoom(room, 'clock') : 'not-found';
    const reading =
      read === 'not-found'
        ? { clock: sampleClock.now(), sampleRate: sampleClock.sampleRate }
        : read;
    response.set('X-Audio-Metadata', audioMetadata(reading)).json(reading);
  });
  const isBanned = bannedBy(rooms.bans, served.clientOf);
  // The operator's list has the same path, but no room.
  if (recordings)
    api.get(
      '/recordings',
      recordingsList({ recordings, verifier: served.verifier ?? null, isBanned, clock }),
    );
  if (operatorApi) api.use(operatorApi);
  const { added } = served;
  if (added?.transport) api.post(added.path, added.transport.handle);
  api.use('/tracks', tracksApi(rooms));
  if (recordings) {
    const { tokens } = served;
    if (tokens) api.put('/recordings/:id/own', ownTracks({ recordings, tokens, isBanned }));
    api.use('/recordings', recordingsApi(recordings, isBanned, clock));
  }
  return api;
}

/**
 * Returns the header's value, with the names of the thesis beside ours (T. Saliba, "Audio
 * Conferencing Over HTTP3 Benchmark", 2022, annex 1.5).
 * @param {{ clock: number, sampleRate: number }} reading clock: in samples; sampleRate: in Hz
 */
const audioMetadata = ({ clock, sampleRate }) =>
  JSON.stringify({ clock, sampleRate, server_clock: clock, server_sample_rate: sampleRate });

/**
 * Stores and serves pieces of backing tracks for clients that know a track's id:
 * /api/tracks/<id>/<number>.
 * @param {Pick<RoomsByThread, 'trackPiece' | 'putTrackPiece'>} rooms
 * @returns {Router}
 */
function tracksApi(rooms) {
  const api = express.Router();
  api.param('number', (_request, response, next, number) => {
    if (/^\d{1,3}$/.test(number)) next();
    else answerError(response, 'not-found');
  });
  api.get('/:id/:number', async ({ params: { id, number } }, response) => {
    const piece = await rooms.trackPiece(id, Number(number));
    if (piece) response.type('application/octet-stream').send(Buffer.from(piece));
    else answerError(response, 'not-found');
  });
  api.put('/:id/:number', (request, response, next) => {
    const { id, number } = request.params;
    const put = async (/** @type {Buffer | null} */ body) => {
      const refusal = body ? await rooms.putTrackPiece(id, Number(number), body) : 'body-too-large';
      if (refusal) answerError(response, refusal);
      else response.status(204).end();
    };
    readBody(request, MAX_PIECE_BYTES, (body) => void put(body).catch(next));
  });
  return api;
}

/**
 * Hashes by which browsers accept the certificate of HTTP/3; none if they trust it.
 * @param {Pick<ApiOptions, 'certificate' | 'http3'>} served
 */
export function hashesOf({ certificate, http3 }) {
  const hashes = new Set(certificate.hashes);
  if (hashes.size > 0 && http3?.certificateHash) hashes.add(http3.certificateHash());
  return [...hashes];
}

/**
 * Lists the nodes of the cluster, and finds the node that owns a room or would open it.
 * @param {Pick<Cluster, 'find' | 'nodes'>} cluster
 * @param {unknown} room  unchecked
 */
async function describeCluster(cluster, room) {
  const isRoom = typeof room === 'string' && roomNameError(room) === null;
  const found = isRoom ? await cluster.find(room, { hold: false }) : null;
  const node = found && typeof found === 'object' ? found.node : null;
  return { nodes: cluster.nodes(), ...(node && { node }) };
}

/** Matches localhost in a Host header. */
const LOCALHOST = /^localhost(:\d*)?$/i;

/**
 * Address of HTTP/3 for a page at localhost, when localhost may also be another address. Browsers
 * try ::1 first, and QUIC doesn't report that nobody listens there. A certificate from an authority
 * needs the page's own name.
 * @param {Pick<ApiOptions, 'certificate' | 'h3Host'>} served
 * @param {string} host  of the page
 */
function loopbackOf({ certificate, h3Host }, host) {
  if (h3Host === undefined || certificate.hashes.length === 0 || !LOCALHOST.test(host)) return null;
  return h3Host === '0.0.0.0' ? '127.0.0.1' : h3Host;
}

/**
 * @param {Pick<ApiOptions, 'certificate' | 'http3' | 'h3Port' | 'h3Host' | 'sessionPath' |
 *   'added' | 'labModule' | 'unavailable'>} served
 * @param {string} [pageHost]  Host header of the request
 */
function describeServer(
  { certificate, http3, h3Port, h3Host, sessionPath, added, labModule, unavailable },
  pageHost = '',
) {
  const host = loopbackOf({ certificate, h3Host }, pageHost);
  const webtransport = {
    ...(host !== null && { host }),
    url: sessionPath,
    recordings: http3?.recordingPath ?? null,
    port: h3Port,
    certificateHashes: hashesOf({ certificate, http3 }),
    ...http3?.offer,
  };
  return {
    version: VERSION,
    limits: { roomName: MAX_ROOM_NAME, userName: MAX_USER_NAME, packetBytes: MAX_PACKET_BYTES },
    transports: {
      webtransport: h3Port === null ? null : webtransport,
      websocket: { path: sessionPath },
      http1: { path: '/api/sessions' },
      ...(added && { [added.name]: added.transport && { path: `/api${added.path}` } }),
    },
    unavailable,
    labModule,
  };
}
