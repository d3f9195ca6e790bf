/**
 * @import { IncomingMessage } from 'node:http'
 * @import { RequestHandler, Router } from 'express'
 * @import { Carry } from '../../public/shared/wire/carry.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Cluster } from '../cluster/cluster.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { TokenVerifier } from '../access/token.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { Directory } from '../host/directory.js'
 * @import { DataChannels } from '../transport/data-channel.js'
 */

import { readFileSync } from 'node:fs';
import express from 'express';
import { systemClock } from '../../public/shared/clock.js';
import { MAX_ROOM_NAME, MAX_USER_NAME, roomNameError } from '../../public/shared/text.js';
import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';
import { MAX_PIECE_BYTES } from '../../public/shared/wire/track-piece.js';
import { answerError, readBody } from './body.js';
import { bannedBy, recordingsApi, recordingsList } from './recordings-api.js';

const PACKAGE = new URL('../../package.json', import.meta.url);

/**
 * @typedef {object} ApiOptions
 * @property {{ hashes: string[] }} certificate
 *   hashes: SHA-256 in base64; none where browsers trust the certificate anyway
 * @property {{ certificateHash?: () => string, carry?: Carry, carries?: readonly Carry[],
 *   recordingPath?: string | null } | null} [http3] certificateHash: of the certificate that it
 *   serves, where that may be an older one; carry: how its packets go; carries: what sessions may
 *   ask for; recordingPath: of sessions that listen to a recording
 * @property {number | null} h3Port              UDP; null without HTTP/3
 * @property {string} [h3Host] its address, where that is one of IPv4 and there is no other
 * @property {string} sessionPath                the path of WebTransport and WebSocket sessions
 * @property {Pick<DataChannels, 'handle'> | null} [dataChannels] for measuring; undefined where the
 *   operator has none
 * @property {{ webtransport?: string, datachannel?: string }} unavailable a sentence for each
 *   transport that isn't there
 * @property {Pick<Directory, 'inRoom' | 'trackPiece' | 'putTrackPiece' | 'bans'>} rooms
 * @property {Recordings} [recordings]
 * @property {(request: IncomingMessage) => { remoteAddress?: string }} [clientOf] a request's
 *   client; by default the one who connects
 * @property {TokenVerifier | null} [verifier]  null where the server has no keys
 * @property {RequestHandler} [operatorApi] the operator's part of the API, with what others may
 *   know of rooms
 * @property {Pick<Cluster, 'find' | 'nodes' | 'rulesOf'>} [cluster]  of which this server is a node
 * @property {Pick<SampleClock, 'now' | 'sampleRate'>} sampleClock
 * @property {Clock} [clock]
 */

/**
 * Serves /api, but for the requests of the HTTP/1 transport.
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
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8'));
  api.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  api.get('/config', async (request, response) => {
    response.json({
      ...describeServer(version, served, request.headers.host),
      ...(cluster && (await describeCluster(cluster, request.query.room))),
    });
  });
  api.get('/clock', async (request, response) => {
    const { room } = request.query;
    const read = typeof room === 'string' ? await rooms.inRoom(room, 'clock') : 'not-found';
    const reading = JSON.stringify(
      read === 'not-found'
        ? { clock: sampleClock.now(), sampleRate: sampleClock.sampleRate }
        : read,
    );
    response.set('X-Audio-Metadata', reading).type('json').send(reading);
  });
  const isBanned = bannedBy(rooms.bans, served.clientOf);
  // The operator's list is at the same path, without a room.
  if (recordings)
    api.get(
      '/recordings',
      recordingsList({ recordings, verifier: served.verifier ?? null, isBanned, clock }),
    );
  if (operatorApi) api.use(operatorApi);
  if (served.dataChannels) api.post('/data-channels', served.dataChannels.handle);
  api.use('/tracks', tracksApi(rooms));
  if (recordings) api.use('/recordings', recordingsApi(recordings, isBanned, clock));
  return api;
}

/**
 * Takes and serves the pieces of backing tracks, for those who know a track's id:
 * /api/tracks/<id>/<number>.
 * @param {Pick<Directory, 'trackPiece' | 'putTrackPiece'>} rooms
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
 * The hashes by which browsers know the certificate of HTTP/3; none where they trust it anyway.
 * @param {Pick<ApiOptions, 'certificate' | 'http3'>} served
 */
export function hashesOf({ certificate, http3 }) {
  const hashes = new Set(certificate.hashes);
  if (hashes.size > 0 && http3?.certificateHash) hashes.add(http3.certificateHash());
  return [...hashes];
}

/**
 * The nodes of the cluster, and which of the others has a room, or would open it.
 * @param {Pick<Cluster, 'find' | 'nodes'>} cluster
 * @param {unknown} room  as it was asked for
 */
async function describeCluster(cluster, room) {
  const isRoom = typeof room === 'string' && roomNameError(room) === null;
  const found = isRoom ? await cluster.find(room, { hold: false }) : null;
  const node = found && typeof found === 'object' ? found.node : null;
  return { nodes: cluster.nodes(), ...(node && { node }) };
}

/** localhost, as a host header has it. */
const LOCALHOST = /^localhost(:\d*)?$/i;

/**
 * The host by which a page at localhost reaches HTTP/3, where localhost may be another address too:
 * browsers try ::1 at first, and QUIC isn't told that nobody listens there. A certificate of an
 * authority has the page's own name.
 * @param {Pick<ApiOptions, 'certificate' | 'h3Host'>} served
 * @param {string} host  the page's
 */
function loopbackOf({ certificate, h3Host }, host) {
  if (h3Host === undefined || certificate.hashes.length === 0 || !LOCALHOST.test(host)) return null;
  return h3Host === '0.0.0.0' ? '127.0.0.1' : h3Host;
}

/**
 * @param {string} version
 * @param {Pick<ApiOptions, 'certificate' | 'http3' | 'h3Port' | 'h3Host' | 'sessionPath' |
 *   'dataChannels' | 'unavailable'>} served
 * @param {string} [pageHost]  by which it is asked for
 */
function describeServer(
  version,
  { certificate, http3, h3Port, h3Host, sessionPath, dataChannels, unavailable },
  pageHost = '',
) {
  const host = loopbackOf({ certificate, h3Host }, pageHost);
  const webtransport = {
    ...(host !== null && { host }),
    url: sessionPath,
    recordings: http3?.recordingPath ?? null,
    port: h3Port,
    certificateHashes: hashesOf({ certificate, http3 }),
    carry: http3?.carry ?? 'datagrams',
    carries: http3?.carries ?? [],
  };
  return {
    version,
    limits: { roomName: MAX_ROOM_NAME, userName: MAX_USER_NAME, packetBytes: MAX_PACKET_BYTES },
    transports: {
      webtransport: h3Port === null ? null : webtransport,
      websocket: { path: sessionPath },
      http1: { path: '/api/sessions' },
      ...(dataChannels !== undefined && {
        datachannel: dataChannels && { path: '/api/data-channels' },
      }),
    },
    unavailable,
  };
}
