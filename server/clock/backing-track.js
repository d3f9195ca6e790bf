/**
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Member } from '../room/people/member.js'
 * @import { Metronome } from './metronome.js'
 * @import { SampleClock } from './sample-clock.js'
 *
 * @typedef {{ action: 'offer', name: string, seconds: number } | { action: 'play' | 'stop' |
 *   'remove' }} TrackRequest
 *
 * @typedef {object} TrackState track that is in the room
 * @property {string} id served in pieces at /api/tracks/<id>/0 and so on
 * @property {string} name
 * @property {number} seconds
 * @property {number | null} from first sample, on the room's sample clock; null when stopped
 * @property {string} by label of the participant who added it
 */

import { randomBytes } from 'node:crypto';
import { readName } from '../../public/shared/text.js';
import { readPiece } from '../../public/shared/wire/piece-packets.js';
import { MAX_PIECE_BYTES, piecesOf } from '../../public/shared/wire/track-piece.js';

/** Most bytes that all tracks of a server hold, and most of one network. */
const MAX_BYTES = 96 * 2 ** 20;
const MAX_NETWORK_BYTES = MAX_BYTES / 2;

/** Time without a new piece after which an upload is given up, in milliseconds. */
const PIECE_MS = 60_000;

/** Time until a track begins, in milliseconds: by then everybody has been notified. */
const LEAD_MS = 500;

/**
 * Sound of one track: its pieces come one after the other, and its memory is reserved in advance.
 */
class StoredTrack {
  id = randomBytes(16).toString('base64url');
  /** @type {Buffer[]} */
  pieces = [];
  bytes;

  /**
   * @param {number} count number of pieces
   * @param {string | null} network of the uploader; null: this machine
   * @param {{ came: () => void, whole: () => void }} on
   */
  constructor(count, network, on) {
    this.count = count;
    this.network = network;
    this.on = on;
    this.bytes = count * MAX_PIECE_BYTES;
  }
}

/** Sound of all rooms' backing tracks, in memory, by ids known only to the people in a room. */
export class Tracks {
  /** @type {Map<string, StoredTrack>} */
  #tracks = new Map();

  /** Number of reserved bytes. @param {string | null} [network] only of this one */
  bytes(network) {
    let sum = 0;
    for (const track of this.#tracks.values())
      if (network === undefined || track.network === network) sum += track.bytes;
    return sum;
  }

  /**
   * Reserves memory for a track.
   * @param {number} seconds
   * @param {string | null} network
   * @param {{ came: () => void, whole: () => void }} on came: a piece has come; whole: all have
   * @returns {string | null} its id; null if there is no room for it
   */
  open(seconds, network, on) {
    const track = new StoredTrack(piecesOf(seconds), network, on);
    if (this.bytes() + track.bytes > MAX_BYTES) return null;
    if (network !== null && this.bytes(network) + track.bytes > MAX_NETWORK_BYTES) return null;
    this.#tracks.set(track.id, track);
    return track.id;
  }

  /**
   * Stores a piece. An existing one stays unchanged.
   * @param {string} id
   * @param {number} number of the piece, from 0 on
   * @param {Buffer} bytes
   * @returns {'not-found' | 'bad-request' | null} reason to refuse it
   */
  put(id, number, bytes) {
    const track = this.#tracks.get(id);
    if (!track) return 'not-found';
    if (number < track.pieces.length) return null;
    if (number !== track.pieces.length || number >= track.count || !readPiece(bytes))
      return 'bad-request';
    // Copied, because the received buffer may be a part of something larger.
    track.pieces.push(Buffer.from(bytes));
    track.on.came();
    if (track.pieces.length < track.count) return null;
    track.bytes = track.pieces.reduce((sum, { length }) => sum + length, 0);
    track.on.whole();
    return null;
  }

  /** @param {string} id @param {number} number @returns {Buffer | undefined} */
  piece(id, number) {
    return this.#tracks.get(id)?.pieces[number];
  }

  /** @param {string} id */
  remove(id) {
    this.#tracks.delete(id);
  }
}

/**
 * Backing track of a room, on its sample clock. Its sound is in no mix. Each page gets the pieces
 * over HTTP and plays them when the clock reaches them, like the metronome's beats. Everybody hears
 * the same at the same moment.
 */
export class BackingTrack {
  #sampleClock;
  #clock;
  #tracks;
  #tell;
  #metronome;
  /** Id of the track that is being uploaded. */
  #coming = '';
  /** @type {unknown} */
  #timer = null;
  /** @type {unknown} */
  #endTimer = null;
  /** @type {Readonly<TrackState> | null} */
  state = null;

  /**
   * @param {object} options
   * @param {SampleClock} options.sampleClock of the room
   * @param {Clock} options.clock
   * @param {Tracks} options.tracks of the server
   * @param {(message: ServerMessage) => void} options.tell notifies everybody in the room
   * @param {Pick<Metronome, 'countedIn'>} options.metronome of the room, which counts a track in
   */
  constructor({ sampleClock, clock, tracks, tell, metronome }) {
    this.#sampleClock = sampleClock;
    this.#clock = clock;
    this.#tracks = tracks;
    this.#tell = tell;
    this.#metronome = metronome;
  }

  /**
   * Carries out a request.
   * @param {Member} member is sent the address for the pieces of a track
   * @param {TrackRequest} request
   * @returns {boolean} false when it can't be done
   */
  act(member, request) {
    if (request.action === 'offer') return this.#offer(member, request);
    if (!this.state) return false;
    if (request.action === 'remove') this.#tracks.remove(this.state.id);
    if (request.action === 'play') this.#play(this.state, member.label);
    else
      this.#become(
        request.action === 'remove' ? null : { ...this.state, from: null },
        member.label,
      );
    return true;
  }

  /**
   * Starts it from its beginning: with a bar of the metronome, after one bar of beats, or at once.
   * @param {TrackState} track
   * @param {string} by
   */
  #play(track, by) {
    const perMs = this.#sampleClock.sampleRate / 1000;
    const now = this.#sampleClock.now();
    const from = this.#metronome.countedIn(Math.ceil(now + LEAD_MS * perMs));
    this.#become({ ...track, from }, by);
    const ended = () => this.#become({ ...track, from: null }, null);
    this.#endTimer = this.#clock.setTimeout(ended, (from - now) / perMs + track.seconds * 1000);
  }

  /** @param {Member} member @param {{ name: string, seconds: number }} track */
  #offer(member, { name: text, seconds }) {
    const { name, error } = readName(text);
    if (error !== null) return false;
    const by = member.label;
    this.#giveUp();
    const place = this.#tracks.open(seconds, member.network, {
      came: () => this.#await(),
      whole: () => {
        const id = this.#coming;
        this.#coming = '';
        this.#clock.clearTimeout(this.#timer);
        if (this.state) this.#tracks.remove(this.state.id);
        this.#become({ id, name, seconds, from: null, by }, by);
      },
    });
    if (place === null) member.refuse('track', 'tracks-full');
    else this.#expect(place, member);
    return true;
  }

  /** @param {string} id @param {Member} member */
  #expect(id, member) {
    this.#coming = id;
    this.#await();
    member.tell({ type: 'track-place', id });
  }

  #await() {
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#giveUp(), PIECE_MS);
  }

  /** Forgets the track that was being uploaded. */
  #giveUp() {
    this.#clock.clearTimeout(this.#timer);
    this.#tracks.remove(this.#coming);
    this.#coming = '';
  }

  /**
   * @param {TrackState | null} state
   * @param {string | null} by label of the requester; null when it has ended
   */
  #become(state, by) {
    this.#clock.clearTimeout(this.#endTimer);
    this.state = state && Object.freeze(state);
    this.#tell({ type: 'track', track: this.state, by });
  }

  /** Idempotent. */
  close() {
    this.#giveUp();
    this.#clock.clearTimeout(this.#endTimer);
    if (this.state) this.#tracks.remove(this.state.id);
    this.state = null;
  }
}
