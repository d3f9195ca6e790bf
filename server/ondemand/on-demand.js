/**
 * @import { NativeSession, SessionRequest } from '@aloud/native'
 * @import { Bans } from '../access/bans.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Log } from '../log.js'
 * @import { Recordings } from '../recording/recordings.js'
 */

import { errors } from '../../public/shared/errors.js';
import { countRefusal } from '../counts.js';
import { stackOf } from '../log.js';
import { networkOfPeer } from '../network-address.js';
import { guardedClock } from '../timers.js';
import { Reader } from './reader.js';
import { SegmentJobs } from './segment-jobs.js';
import { SegmentStore } from './segment-store.js';

/** Path of sessions for a recording, with `?id=`. */
const RECORDING_PATH = '/recording';

/**
 * Serves recordings over WebTransport to clients that know the id and aren't banned from the room.
 */
export class OnDemand {
  path = RECORDING_PATH;
  #recordings;
  #bans;
  #clock;
  #log;
  #jobs;
  #store = new SegmentStore();
  /** By recording's id. @type {Map<string, Set<Reader>>} */
  #readers = new Map();

  /**
   * @param {object} options
   * @param {Recordings} options.recordings
   * @param {Pick<Bans, 'has'>} options.bans
   * @param {Clock} options.clock
   * @param {Pick<Log, 'warn' | 'error'>} options.log
   */
  constructor({ recordings, bans, clock, log }) {
    this.#recordings = recordings;
    this.#bans = bans;
    this.#clock = clock;
    this.#log = log;
    this.#jobs = new SegmentJobs({ recordings, clock, log });
    recordings.whenRemoved((id) => this.#removed(id));
  }

  /** Makes segments ahead from now on, because an engine accepts readers. */
  start() {
    this.#jobs.makeAhead();
  }

  /** Answers a session request. @param {SessionRequest} request */
  requested(request) {
    this.#refusal(idOf(request.query), request.peer).then(
      (code) => (code === null ? request.accept() : refuse(request, code)),
      () => refuse(request, 'internal'),
    );
  }

  /** @param {string} id @param {string} peer @returns {Promise<ErrorCode | null>} */
  async #refusal(id, peer) {
    const room = await this.#recordings.roomOf(id);
    if (room !== null && this.#isBanned(room, peer)) return 'banned';
    if (await this.#jobs.prepare(id)) return null;
    return this.#recordings.wasRemoved(id) ? 'recording-deleted' : 'not-found';
  }

  /** @param {string} room @param {string} peer */
  #isBanned(room, peer) {
    return this.#bans.has(room, { identity: null, tokenId: null, network: networkOfPeer(peer) });
  }

  /**
   * Serves an open session.
   * @param {NativeSession} native
   * @param {() => void} onEnd  called once
   */
  opened(native, onEnd) {
    const id = idOf(native.request?.query ?? '');
    const held = this.#jobs.hold(id, () => reader.close('internal'));
    if (held === null) {
      const { close, message } =
        errors[this.#recordings.wasRemoved(id) ? 'recording-deleted' : 'internal'];
      native.onClosed = onEnd;
      native.close(close, message);
      return;
    }
    const { segments, directory, release } = held;
    /** Null until it is read. @type {string | null} */
    let room = null;
    void this.#recordings.roomOf(id).then((found) => (room = found));
    // A fault of one listener's timer must not end the server.
    const clock = guardedClock(this.#clock, (error) => {
      this.#log.error(
        { event: 'session-failed', room, peer: native.peer, error: stackOf(error) },
        'session failed',
      );
      reader.close('internal');
    });
    const reader = new Reader({
      native,
      clock,
      segments,
      read: (rate, number) => this.#store.read(directory, rate, number),
      describe: () => ({ on: this.#recordings.isOpen(id) }),
      isBanned: () => room !== null && this.#isBanned(room, native.peer),
      onEnd: () => {
        release();
        this.#left(id, reader);
        onEnd();
      },
    });
    const readers = this.#readers.get(id) ?? new Set();
    this.#readers.set(id, readers.add(reader));
  }

  /** @param {string} id @param {Reader} reader */
  #left(id, reader) {
    const readers = this.#readers.get(id);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(id);
  }

  /** @param {string} id  of a deleted recording */
  #removed(id) {
    for (const reader of [...(this.#readers.get(id) ?? [])]) reader.close('recording-deleted');
    const directory = this.#recordings.locate(id, 'mix.opus')?.root;
    if (directory) this.#store.forget(directory);
  }

  /** Idempotent. */
  async close() {
    for (const readers of [...this.#readers.values()])
      for (const reader of [...readers]) reader.close('server-closing');
    await this.#jobs.close();
  }
}

/** @param {string} query  of a session's URL */
const idOf = (query) => new URLSearchParams(query).get('id') ?? '';

/** @param {SessionRequest} request @param {ErrorCode} code */
function refuse(request, code) {
  countRefusal('upgrade', code);
  request.reject(errors[code].status);
}
