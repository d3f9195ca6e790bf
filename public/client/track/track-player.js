import {
  FADE_SECONDS,
  PIECE_SECONDS,
  piecesOf,
  TRACK_RATE,
} from '../../shared/wire/track-piece.js';
import { RoomPlayer } from '../playout/room-time.js';

/**
 * @import { Clock } from '../../shared/clock.js'
 *
 * @typedef {{ id: string, seconds: number, from: number | null }} Track as the server tells it:
 *   `from` is the sample of its beginning on the room's clock, null while it stands still
 */

/**
 * Time by which pieces are scheduled ahead, in seconds: timers of a background page fire once a
 * second.
 */
const AHEAD_SECONDS = 2.5;

/** Time until a missing piece is requested again, in milliseconds. */
const RETRY_MS = 3000;

/** Shortest time in which a late piece can be scheduled, in seconds. */
const SOON_SECONDS = 0.02;

/**
 * Plays the room's backing track on an audio context. Each sample leaves the speaker when the
 * room's sample clock reaches it. Pieces cross-fade, since the output's clock isn't the room's.
 */
export class TrackPlayer extends RoomPlayer {
  #clock;
  #get;
  #onFailing;
  /** True since a piece could not be had. */
  #isFailing = false;
  /** @type {Track | null} */
  #track = null;
  /** Pieces by number; null while one is being fetched. @type {Map<number, AudioBuffer | null>} */
  #pieces = new Map();
  /** Scheduled pieces. @type {Map<number, { node: AudioBufferSourceNode, fade: GainNode }>} */
  #scheduled = new Map();
  #retryMs = -Infinity;

  /**
   * @param {AudioNode} output of an AudioContext
   * @param {number} sampleRate the room's, Hz
   * @param {Clock} clock the page's
   * @param {{ get: (id: string, number: number) => Promise<Float32Array<ArrayBuffer>[]>, failing:
   *   (isFailing: boolean) => void }} from failing: true once a piece can't be had, and is missing;
   *   false once the next one is there, or the track has gone
   */
  constructor(output, sampleRate, clock, { get, failing }) {
    super(output, sampleRate, clock);
    this.#clock = clock;
    this.#get = get;
    this.#onFailing = failing;
  }

  /** @param {Track | null} track null: there is none */
  play(track) {
    this.cancel();
    if (track?.id !== this.#track?.id) {
      this.#pieces.clear();
      this.#report(false);
    }
    this.#track = track;
    this.run(track !== null);
  }

  /** @param {number} level a factor; 0: inaudible for this person */
  setLevel(level) {
    this.output.gain.value = level;
  }

  /** Fades scheduled pieces out. @override */
  cancel() {
    const now = this.context.currentTime;
    for (const { node, fade } of this.#scheduled.values()) {
      fade.gain.cancelScheduledValues(now);
      fade.gain.setTargetAtTime(0, now, FADE_SECONDS / 4);
      node.stop(now + FADE_SECONDS);
    }
    this.#scheduled.clear();
  }

  /** @override */
  schedule() {
    if (!this.#track) return;
    const { from, seconds } = this.#track;
    const { now } = this.time;
    // The beginning is fetched in advance, so that all can start at once.
    if (from === null) return void this.#piece(this.#track, 0);
    if (now === null) return;
    const at = (now - from) / this.sampleRate;
    const current = Math.max(0, Math.floor(at / PIECE_SECONDS));
    for (const number of [...this.#pieces.keys()])
      if (number < current - 1) this.#pieces.delete(number);
    for (let number = current; number <= current + 1 && number < piecesOf(seconds); number++) {
      const buffer = this.#piece(this.#track, number);
      if (buffer && number * PIECE_SECONDS < at + AHEAD_SECONDS)
        this.#schedulePiece(buffer, number, from);
    }
  }

  /**
   * Gets a piece, or starts fetching it.
   * @param {Track} track
   * @param {number} number
   * @returns {AudioBuffer | null}
   */
  #piece(track, number) {
    const piece = this.#pieces.get(number);
    if (piece !== undefined || this.#clock.now() < this.#retryMs) return piece ?? null;
    this.#pieces.set(number, null);
    this.#get(track.id, number).then(
      (channels) => {
        if (track.id !== this.#track?.id) return;
        const buffer = new AudioBuffer({
          length: channels[0].length,
          numberOfChannels: channels.length,
          sampleRate: TRACK_RATE,
        });
        channels.forEach((samples, channel) => buffer.copyToChannel(samples, channel));
        this.#pieces.set(number, buffer);
        this.#report(false);
      },
      () => {
        if (track.id !== this.#track?.id) return;
        this.#pieces.delete(number);
        this.#retryMs = this.#clock.now() + RETRY_MS;
        this.#report(true);
      },
    );
    return null;
  }

  /** @override */
  close() {
    this.play(null);
    super.close();
  }

  /** @param {boolean} isFailing */
  #report(isFailing) {
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#onFailing(isFailing);
  }

  /**
   * @param {AudioBuffer} buffer
   * @param {number} number
   * @param {number} from the track's first sample on the room's clock
   */
  #schedulePiece(buffer, number, from) {
    if (this.#scheduled.has(number)) return;
    const due = this.time.secondsAt(from + number * PIECE_SECONDS * this.sampleRate);
    const start = Math.max(due, this.context.currentTime + SOON_SECONDS);
    const end = due + PIECE_SECONDS;
    if (start >= end) return;
    const node = new AudioBufferSourceNode(this.context, { buffer });
    const fade = new GainNode(this.context, { gain: 1 });
    if (number > 0 || start > due) {
      fade.gain.setValueAtTime(0, start);
      fade.gain.linearRampToValueAtTime(1, start + FADE_SECONDS);
    }
    fade.gain.setValueAtTime(1, Math.max(end, start + FADE_SECONDS));
    fade.gain.linearRampToValueAtTime(0, end + FADE_SECONDS);
    node.connect(fade).connect(this.output);
    const piece = { node, fade };
    node.addEventListener('ended', () => {
      fade.disconnect();
      // The node holds the piece's sound.
      if (this.#scheduled.get(number) === piece) this.#scheduled.delete(number);
    });
    node.start(start, start - due);
    this.#scheduled.set(number, piece);
  }
}
