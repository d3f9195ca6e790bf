/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Permission } from '../state/grant.js'
 * @import { TickLoad } from '../clock/load-shares.js'
 * @import { Member } from '../room/people/member.js'
 * @import { Encoded } from './mix-track.js'
 * @import { RecordingDirectory, Trouble } from './recording-directory.js'
 * @import { RoomBase } from '../room/room-config.js'
 * @import { SpokenText } from '../room/record/captions.js'
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

/** Limit of tracks in a recording, and of one person's, because people come, agree and leave. */
const MAX_FILES = 1000;
const MAX_FILES_EACH = 50;

/** Manages the recording of a room: who started it, and who agreed. */
export class RoomRecording {
  #room;
  #config;
  #services;
  #sampleClock;
  #people;
  #events;
  #load;
  #starts;
  /** @type {RecordingState | null} */
  #state = null;
  /** @type {Recording | null} */
  #recording = null;
  /**
   * Ids of people who agreed, by their last answer, also while they are away or where the recording
   * isn't. The answer holds for one recording.
   * @type {Set<string>}
   */
  #agreed = new Set();
  #opening = false;
  #closed = false;

  /**
   * @param {Pick<RoomBase, 'room' | 'config' | 'services' | 'sampleClock' | 'people' | 'events'> &
   *   { load: TickLoad }} options  load: of the room
   */
  constructor({ room, config, services, sampleClock, people, events, load }) {
    this.#room = room;
    this.#config = config;
    this.#services = services;
    this.#sampleClock = sampleClock;
    this.#people = people;
    this.#events = events;
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
    this.#agreed = new Set([member.id]);
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
    return { room: this.#room, identity, network };
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
    const directory = recordings.begin(this.#ownedBy(member), (code) => this.#troubled(code), {
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
        room: this.#room,
        directory,
        encoder,
        lookahead,
        onEnd: () => void this.#finish(directory, state),
      });
    } catch (error) {
      this.#state = null;
      encoder.close();
      void directory.end();
      throw error;
    }
    // A full disk may stop the recording with its first page.
    if (!state.on) return recording.stop();
    this.#recording = recording;
    this.#people.tell({ type: 'recording', recording: state });
    const starter = this.#people.find(member.id);
    if (starter) this.resume(starter);
  }

  /**
   * Tells a member that they can't be recorded, and logs the reason.
   * @param {unknown} error
   * @param {Member} member
   */
  #failed(error, member) {
    this.#services.recordings?.logFailure({ room: this.#room, participant: member.id }, error);
    member.refuse('record', 'recording-failed');
  }

  /**
   * Waits until an ended recording is on the disk, and announces it. Catches all faults, because no
   * caller waits for it.
   * @param {RecordingDirectory} directory
   * @param {RecordingState} state
   */
  async #finish(directory, state) {
    try {
      await directory.end();
      this.#ready(state);
    } catch (error) {
      this.#services.recordings?.logFailure({ recording: state.id, room: this.#room }, error);
    }
  }

  /** @param {RecordingState} state */
  #ready(state) {
    const { id, startedAt, isPublic } = state;
    this.#services.happened?.({
      event: 'recording_ready',
      room: this.#room,
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
    const { id, grant } = member;
    // A person may withdraw while the recording that they start is being opened.
    if (grant.owner !== undefined || !(this.#state?.on || (this.#opening && !agreed))) return;
    if (agreed) {
      this.#agreed.add(id);
      return this.resume(member);
    }
    this.#agreed.delete(id);
    this.#recording?.remove(id);
    for (const one of [member, ...this.#people.shared(id)]) this.#mark(one, false);
  }

  /**
   * True for a present member who agreed, or whose owner did, and who is where the recording is.
   * @param {Member} member
   */
  #isWanted(member) {
    const { owner } = member.grant;
    const person = owner === undefined ? member : this.#people.find(owner);
    // A recording's mix has the room's speakers alone.
    const isOfTheRoom = person?.group === 0 && person.language === null;
    return isOfTheRoom && this.#agreed.has(person.id) && this.#people.isHere(member);
  }

  /**
   * Ends the track of a member who goes where the recording isn't, such as into a group, and keeps
   * it. Consent is remembered for `resume`.
   * @param {Member} member
   */
  pause(member) {
    for (const one of [member, ...this.#people.shared(member.id)]) {
      this.#recording?.leave(one.id);
      this.#mark(one, false);
    }
  }

  /** Records a member who has come, or is back, and their shared sound. @param {Member} member */
  resume(member) {
    if (this.#recording === null) return;
    for (const one of [member, ...this.#people.shared(member.id)])
      this.#add(one).catch((error) => this.#failed(error, one));
  }

  /** Records a member, if they agreed. @param {Member} member */
  async #add(member) {
    const recording = this.#recording;
    const { source } = member;
    if (recording === null || source === null || member.recorded || !this.#isWanted(member)) return;
    if (recording.files >= MAX_FILES || recording.filesOf(member.id) >= MAX_FILES_EACH)
      return member.refuse('record', 'recording-limit');
    const { format } = this.#config;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const encoded = member.pcm ? await this.#encoder() : null;
    let decoder;
    try {
      const opened = await this.#services.codec.createDecoder({
        sampleRate,
        frameSamples,
        channels,
      });
      decoder = new PayloadDecoder(opened, format);
    } catch (error) {
      encoded?.encoder.close();
      throw error;
    }
    // Skips a person who has changed their mind in the meantime, moved, or left.
    const isSame = this.#recording === recording && member.source === source;
    if (!isSame || member.recorded || !this.#isWanted(member)) {
      decoder.close();
      encoded?.encoder.close();
      return;
    }
    const { id, label, grant } = member;
    const place = this.#people.places.keyOf(id);
    recording.add({ id, label, place, owner: grant.owner }, source.packets, decoder, encoded);
    this.#mark(member, true);
  }

  /** @param {Member} member @param {boolean} recorded */
  #mark(member, recorded) {
    if (member.recorded === recorded) return;
    member.recorded = recorded;
    this.#people.changed(member);
  }

  /** Keeps a caption, if its speaker is being recorded. @param {SpokenText} spoken */
  caption(spoken) {
    this.#recording?.caption(spoken);
  }

  /** @param {Member} member  has returned to their place with a new session */
  replaced(member) {
    const { id, source, pcm } = member;
    const goesOn = source && this.#recording?.replace(id, source.packets, pcm !== undefined);
    member.recorded = goesOn ?? false;
  }

  /** @param {Member} member */
  left(member) {
    this.#agreed.delete(member.id);
    this.#recording?.leave(member.id);
    member.recorded = false;
  }

  /**
   * Stops after a failed write or at a limit. The disk reports in promises, so a fault here would
   * end the server.
   * @param {Trouble} code
   */
  #troubled(code) {
    try {
      this.#stop(whyOf(code));
    } catch (error) {
      this.#events.emit('fault', 'a recording', error);
    }
  }

  /** @param {Partial<RecordingState>} why */
  #stop(why) {
    if (!this.#state?.on) return;
    this.#recording?.stop();
    this.#recording = null;
    this.#agreed.clear();
    Object.assign(this.#state, why, { on: false });
    this.#people.tell({ type: 'recording', recording: this.#state });
    for (const member of this.#people.everybody) this.#mark(member, false);
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
