/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Permission } from '../state/grant.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { TickLoad } from '../clock/load-shares.js'
 * @import { Member } from '../room/people/member.js'
 * @import { Encoded } from './mix-track.js'
 * @import { Trouble } from './recording-directory.js'
 * @import { RoomConfig, RoomServices } from '../room/room-config.js'
 * @import { SpokenText } from '../room/record/captions.js'
 * @import { People } from '../room/people/people.js'
 *
 * @typedef {object} RecordingState  state of a recording, as sent to the room
 * @property {string} id           of /api/recordings/<id>/
 * @property {boolean} on
 * @property {string} by  label of the person who started it
 * @property {string} person  id of that person
 * @property {string} startedAt    ISO 8601
 * @property {boolean} isPublic  true if everybody may hear it
 * @property {string} [stoppedBy]  label of the person who stopped it
 * @property {ErrorCode} [code]  reason for an automatic stop
 * @property {string} [message]  that reason as a sentence
 * @property {boolean} [ready]  true when its files are complete
 */

import { errors } from '../../public/shared/errors.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js';
import { RATES } from '../../public/shared/sound/audio-format.js';
import { TokenBucket } from '../token-bucket.js';
import { Recording } from './recording.js';

/** Limit of recordings that a room may begin in a row, and seconds until it may begin one more. */
const AT_ONCE = 3;
const EVERY_SECONDS = 20;

/** Limit of tracks in a recording, because people come, agree and leave. */
const MAX_FILES = 1000;

/** Manages the recording of a room: who started it, and who agreed. */
export class RoomRecording {
  #name;
  #config;
  #services;
  #sampleClock;
  #people;
  #load;
  #starts;
  /** @type {RecordingState | null} */
  #state = null;
  /** @type {Recording | null} */
  #recording = null;
  /** Ids of people who agreed, and are where the recording isn't. @type {Set<string>} */
  #paused = new Set();
  #opening = false;
  #closed = false;

  /**
   * @param {object} options
   * @param {string} options.name  of the room
   * @param {RoomConfig} options.config
   * @param {RoomServices} options.services
   * @param {SampleClock} options.sampleClock  of the room
   * @param {People} options.people
   * @param {TickLoad} [options.load]  of the room
   */
  constructor({ name, config, services, sampleClock, people, load }) {
    this.#name = name;
    this.#config = config;
    this.#services = services;
    this.#sampleClock = sampleClock;
    this.#people = people;
    this.#load = load;
    this.#starts = new TokenBucket({
      atOnce: AT_ONCE,
      perSecond: 1 / EVERY_SECONDS,
      nowMs: services.clock.now(),
    });
  }

  /** True when this room can be recorded. */
  get offered() {
    return this.#services.recordings?.offered ?? false;
  }

  /** State for a new participant; null while nothing is recorded. */
  get state() {
    return this.#state?.on ? this.#state : null;
  }

  /**
   * Starts a recording unless one is running.
   * @param {Member} member  may record, and agrees by starting
   * @param {{ isPublic?: boolean }} [options]  isPublic: everybody may hear it
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
   * Stops the recording for a permitted member: its starter, even without the permission to start
   * another, or a moderator. Once the starter has left, anybody who may record can stop it.
   * @param {Member} member
   * @param {(permission: Permission) => boolean} may  tells whether the member has a permission now
   * @returns {ErrorCode | null} reason to refuse, or null
   */
  stopFor(member, may) {
    const state = this.#state;
    if (!state?.on) return null;
    if (state.person !== member.id && !may('moderate')) {
      if (this.#people.present.has(state.person)) return 'recording-others';
      if (!may('record')) return 'not-allowed';
    }
    this.#stop({ stoppedBy: member.label });
    return null;
  }

  /**
   * Stops the recording of any starter.
   * @param {string} stoppedBy  label of the permitted person
   * @returns {boolean} false if nothing is recorded
   */
  stop(stoppedBy) {
    if (!this.#state?.on) return false;
    this.#stop({ stoppedBy });
    return true;
  }

  /** Owner of a recording that a member starts. @param {Member} member */
  #ownedBy({ identity, network }) {
    return { room: this.#name, identity, network };
  }

  /** @returns {Promise<Encoded>} */
  async #encoder(bitrate = this.#config.bitrate) {
    const { format, complexity, application } = this.#config;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const settings = { sampleRate, frameSamples, channels, bitrate, complexity, application };
    const opened = await this.#services.codec.createEncoder(settings);
    return { encoder: new PayloadEncoder(opened, format), lookahead: opened.lookahead };
  }

  /** @param {Member} member  has agreed by starting @param {boolean} isPublic */
  async #begin(member, isPublic) {
    const { recordings, ticks } = this.#services;
    const { format } = this.#config;
    // Public recordings keep the quality of a broadcast.
    const bitrate = isPublic ? Math.max(this.#config.bitrate, ...RATES) : this.#config.bitrate;
    const { encoder, lookahead } = await this.#encoder(bitrate);
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
    this.#paused.clear();
    let recording;
    try {
      recording = new Recording({
        settings: { format, ticks, sampleClock: this.#sampleClock, load: this.#load },
        room: this.#name,
        directory,
        encoder,
        lookahead,
        onEnd: () => void directory.end().then(() => this.#ready(state)),
      });
    } catch (error) {
      this.#state = null;
      encoder.close();
      void directory.end();
      throw error;
    }
    // A full disk may stop it with the first page.
    if (!state.on) return recording.stop();
    this.#recording = recording;
    this.#people.tell({ type: 'recording', recording: state });
    for (const one of [member, ...this.#people.shared(member.id)]) await this.#add(one);
  }

  /**
   * Tells a member that they can't be recorded, and logs the reason.
   * @param {unknown} error
   * @param {Member} member
   */
  #failed(error, member) {
    this.#services.recordings?.logFailure({ room: this.#name, participant: member.id }, error);
    member.refuse('record', 'recording-failed');
  }

  /** @param {RecordingState} state */
  #ready(state) {
    const { id, startedAt, isPublic } = state;
    this.#services.happened?.({
      event: 'recording_ready',
      room: this.#name,
      recording: { id, startedAt, isPublic },
    });
    if (this.#state !== state || this.#closed) return;
    this.#state = { ...state, ready: true };
    this.#people.tell({ type: 'recording', recording: this.#state });
  }

  /**
   * Notes a member's consent, which holds for their shared sound, too.
   * @param {Member} member
   * @param {boolean} agreed
   */
  consent(member, agreed) {
    if (!this.#state?.on) return;
    this.#paused.delete(member.id);
    // A recording's mix has the room's speakers alone.
    const isOfTheRoom = member.group === 0 && member.language === null;
    if (agreed && !isOfTheRoom) return void this.#paused.add(member.id);
    for (const one of [member, ...this.#people.shared(member.id)]) this.#consent(one, agreed);
  }

  /** @param {Member} member @param {boolean} agreed */
  #consent(member, agreed) {
    if (agreed) this.#add(member).catch((error) => this.#failed(error, member));
    else {
      this.#recording?.remove(member.id);
      this.#mark(member, false, false);
    }
  }

  /**
   * Ends the track of a member who goes where the recording isn't, such as into a group, and keeps
   * it. Consent is remembered for `resume`.
   * @param {Member} member
   */
  pause(member) {
    if (!member.agreed) return;
    for (const one of [member, ...this.#people.shared(member.id)]) {
      this.#recording?.leave(one.id);
      this.#mark(one, false, false);
    }
    this.#paused.add(member.id);
  }

  /** Records a member who is back, if they had agreed. @param {Member} member */
  resume(member) {
    if (this.#paused.has(member.id)) this.consent(member, true);
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
    let encoded = null;
    try {
      if (member.pcm) encoded = await this.#encoder();
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
    // Skips a person who has changed their mind in the meantime, or left.
    const isThere = this.#people.present.get(member.id) === member;
    if (!member.agreed || member.recorded || !isThere || this.#recording !== recording) {
      decoder.close();
      encoded?.encoder.close();
      return;
    }
    recording.add(member, source.packets, decoder, encoded);
    this.#mark(member, true, true);
  }

  /**
   * @param {Member} member
   * @param {boolean} agreed
   * @param {boolean} recorded
   */
  #mark(member, agreed, recorded) {
    const isChange = member.recorded !== recorded;
    Object.assign(member, { agreed, recorded });
    if (isChange) this.#people.changed(member);
  }

  /** Keeps a caption, if its speaker is being recorded. @param {SpokenText} spoken */
  caption(spoken) {
    this.#recording?.caption(spoken);
  }

  /** @param {Member} member  has returned to their place with a new session */
  replaced(member) {
    const goesOn =
      (member.source && this.#recording?.replace(member.id, member.source.packets)) ?? false;
    Object.assign(member, { agreed: goesOn, recorded: goesOn });
  }

  /** @param {Member} member */
  left(member) {
    this.#paused.delete(member.id);
    this.#recording?.leave(member.id);
  }

  /** @param {Partial<RecordingState>} why */
  #stop(why) {
    if (!this.#state?.on) return;
    this.#recording?.stop();
    this.#recording = null;
    Object.assign(this.#state, why, { on: false });
    this.#people.tell({ type: 'recording', recording: this.#state });
    for (const member of this.#people.present.values()) this.#mark(member, false, false);
  }

  /** Ends with the room; the rest of the recording is still written. Idempotent. */
  close() {
    this.#closed = true;
    this.#recording?.stop();
    this.#recording = null;
  }
}

/** @param {Trouble} code @returns {Partial<RecordingState>} */
const whyOf = (code) => ({ code, message: errors[code].message });
