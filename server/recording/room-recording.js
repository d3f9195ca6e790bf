/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Permission } from '../access/grant.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { TickLoad } from '../clock/tick-load.js'
 * @import { Member } from '../room/people/member.js'
 * @import { Trouble } from './recording-directory.js'
 * @import { RoomConfig, RoomServices } from '../room/room-config.js'
 * @import { Roster } from '../room/people/roster.js'
 *
 * @typedef {object} RecordingState  the state of the recording, as the people of the room are told
 * @property {string} id           of /api/recordings/<id>/
 * @property {boolean} on
 * @property {string} by           the label of the person who started it
 * @property {string} person       that person's id
 * @property {string} startedAt    ISO 8601
 * @property {boolean} isPublic    whether anybody may hear it
 * @property {string} [stoppedBy]  the label of the person who stopped it
 * @property {ErrorCode} [code]    why it stopped, where nobody stopped it
 * @property {string} [message]    the same as a sentence
 * @property {boolean} [ready]     its files are whole
 */

import { errors } from '../../public/shared/errors.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js';
import { RATES } from '../../public/shared/sound/rates.js';
import { TokenBucket } from '../token-bucket.js';
import { Recording } from './recording.js';

/**
 * The recordings that a room may begin in a row, and the seconds after which it may begin another.
 */
const AT_ONCE = 3;
const EVERY_SECONDS = 20;

/** The most tracks of a recording: people may come, agree and go. */
const MAX_FILES = 1000;

/** Whether a room is being recorded, who started it and who agreed. */
export class RoomRecording {
  #name;
  #config;
  #services;
  #sampleClock;
  #roster;
  #load;
  #starts;
  /** @type {RecordingState | null} */
  #state = null;
  /** @type {Recording | null} */
  #recording = null;
  #opening = false;
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.name  the room's
   * @param {RoomConfig} options.config
   * @param {RoomServices} options.services
   * @param {SampleClock} options.sampleClock  the room's
   * @param {Roster} options.roster
   * @param {TickLoad} [options.load]  the room's
   */
  constructor({ name, config, services, sampleClock, roster, load }) {
    this.#name = name;
    this.#config = config;
    this.#services = services;
    this.#sampleClock = sampleClock;
    this.#roster = roster;
    this.#load = load;
    this.#starts = new TokenBucket({
      atOnce: AT_ONCE,
      perSecond: 1 / EVERY_SECONDS,
      nowMs: services.clock.now(),
    });
  }

  /** Whether the people of this room can be recorded. */
  get offered() {
    return this.#services.recordings?.offered ?? false;
  }

  /** The state as one who joins is told; null while nothing is recorded. */
  get state() {
    return this.#state?.on ? this.#state : null;
  }

  /**
   * Starts a recording, unless there is one.
   * @param {Member} member  who may record, and agrees by that
   * @param {{ isPublic?: boolean }} [options]  whether anybody may hear it
   */
  start(member, { isPublic = false } = {}) {
    if (this.#state?.on || this.#opening) return;
    if (this.#config.e2e) return member.refuse('record', 'e2e-room');
    const { recordings, clock } = this.#services;
    if (!recordings) return member.refuse('record', 'recording-off');
    const refusal = recordings.refusal(this.#ownedBy(member));
    if (refusal !== null) return member.refuse('record', refusal.code, refusal);
    const retryMs = this.#starts.take(clock.now());
    if (retryMs > 0) return member.refuse('record', 'recording-busy', { retryMs });
    this.#opening = true;
    this.#begin(member, isPublic)
      .catch((error) => this.#failed(error, member))
      .finally(() => (this.#opening = false));
  }

  /**
   * Stops the recording where a member may do that: the one who started it, though they may start
   * none any more, a moderator, and anybody who may record once the one who started it isn't there.
   * @param {Member} member
   * @param {(permission: Permission) => boolean} may  whether the member may do something now
   * @returns {ErrorCode | null} why they may not
   */
  stopFor(member, may) {
    const state = this.#state;
    if (!state?.on) return null;
    if (state.person !== member.id && !may('moderate')) {
      if (this.#roster.present.has(state.person)) return 'recording-others';
      if (!may('record')) return 'not-allowed';
    }
    this.#stop({ stoppedBy: member.label });
    return null;
  }

  /**
   * Stops the recording, whoever started it.
   * @param {string} stoppedBy the label of whoever may do that
   * @returns {boolean} false when there is none
   */
  stop(stoppedBy) {
    if (!this.#state?.on) return false;
    this.#stop({ stoppedBy });
    return true;
  }

  /** Whose a recording is that a member starts. @param {Member} member */
  #ownedBy({ identity, network }) {
    return { room: this.#name, identity, network };
  }

  /** @param {Member} member  who has agreed by that @param {boolean} isPublic */
  async #begin(member, isPublic) {
    const { codec, recordings, ticks } = this.#services;
    const { format, complexity, application } = this.#config;
    // What many will hear is kept as good as it is broadcast.
    const bitrate = isPublic ? Math.max(this.#config.bitrate, ...RATES) : this.#config.bitrate;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const encoder = await codec.createEncoder({
      sampleRate,
      frameSamples,
      channels,
      bitrate,
      complexity,
      application,
    });
    if (this.#closed || !recordings?.offered) {
      encoder.close();
      return;
    }
    const directory = recordings.begin(this.#ownedBy(member), (code) => this.#stop(whyOf(code)), {
      isPublic,
      bitrate,
    });
    const { id, startedAt } = directory.description;
    /** @type {RecordingState} */
    const state = { id, on: true, by: member.label, person: member.id, startedAt, isPublic };
    this.#state = state;
    let recording;
    try {
      recording = new Recording({
        settings: { format, ticks, sampleClock: this.#sampleClock, load: this.#load },
        room: this.#name,
        directory,
        encoder: new PayloadEncoder(encoder, format),
        lookahead: encoder.lookahead,
        onEnd: () => void directory.end().then(() => this.#ready(state)),
      });
    } catch (error) {
      this.#state = null;
      encoder.close();
      void directory.end();
      throw error;
    }
    // The disk may be full by the first page.
    if (!state.on) return recording.stop();
    this.#recording = recording;
    this.#roster.tell({ type: 'recording', recording: state });
    await this.#add(member);
  }

  /**
   * Tells somebody that they can't be recorded, and logs why.
   * @param {unknown} error
   * @param {Member} member
   */
  #failed(error, member) {
    this.#services.recordings?.logError(
      `person ${member.id} of room ${this.#name} can't be recorded`,
      error,
    );
    member.refuse('record', 'recording-failed');
  }

  /** @param {RecordingState} state */
  #ready(state) {
    if (this.#state !== state || this.#closed) return;
    this.#state = { ...state, ready: true };
    this.#roster.tell({ type: 'recording', recording: this.#state });
  }

  /**
   * @param {Member} member
   * @param {boolean} agreed  whether they want to be recorded
   */
  consent(member, agreed) {
    if (!this.#state?.on) return;
    if (agreed) {
      this.#add(member).catch((error) => this.#failed(error, member));
      return;
    }
    this.#recording?.remove(member.id);
    this.#mark(member, false, false);
  }

  /** @param {Member} member */
  async #add(member) {
    const recording = this.#recording;
    const { source } = member;
    if (member.agreed || recording === null || source === null) return;
    if (recording.files >= MAX_FILES) return member.refuse('record', 'recording-limit');
    this.#mark(member, true, false);
    const { format } = this.#config;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    let decoder;
    try {
      const opened = await this.#services.codec.createDecoder({
        sampleRate,
        frameSamples,
        channels,
      });
      decoder = new PayloadDecoder(opened, format);
    } catch (error) {
      this.#mark(member, false, false);
      throw error;
    }
    // A person who has changed their mind meanwhile, or left, isn't recorded.
    const isThere = this.#roster.present.get(member.id) === member;
    if (!member.agreed || member.recorded || !isThere || this.#recording !== recording) {
      decoder.close();
      return;
    }
    recording.add(member, source.packets, decoder);
    this.#mark(member, true, true);
  }

  /**
   * @param {Member} member
   * @param {boolean} agreed
   * @param {boolean} recorded
   */
  #mark(member, agreed, recorded) {
    const isChange = member.recorded !== recorded;
    member.markRecorded(agreed, recorded);
    if (isChange) this.#roster.changed(member);
  }

  /** @param {Member} member  who has come back to their place, by another session */
  replaced(member) {
    const goesOn =
      (member.source && this.#recording?.replace(member.id, member.source.packets)) ?? false;
    member.markRecorded(goesOn, goesOn);
  }

  /** @param {Member} member  who left */
  left(member) {
    this.#recording?.leave(member.id);
  }

  /** @param {Partial<RecordingState>} why */
  #stop(why) {
    if (!this.#state?.on) return;
    this.#recording?.stop();
    this.#recording = null;
    Object.assign(this.#state, why, { on: false });
    this.#roster.tell({ type: 'recording', recording: this.#state });
    for (const member of this.#roster.present.values()) this.#mark(member, false, false);
  }

  /** The room ends; what was recorded is still written. Idempotent. */
  close() {
    this.#closed = true;
    this.#recording?.stop();
    this.#recording = null;
  }
}

/**
 * @param {Trouble} code
 * @returns {Partial<RecordingState>}
 */
const whyOf = (code) => ({ code, message: errors[code].message });
