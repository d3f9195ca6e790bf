/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Participant } from '../room/member.js'
 * @import { Room } from '../room/room.js'
 *
 * The state of the recording, as the people of the room are told.
 * @typedef {object} RecordingState
 * @property {string} id           of /api/recordings/<id>/
 * @property {boolean} on
 * @property {string} by           the label of the person who started it
 * @property {string} startedAt    ISO 8601
 * @property {string} [stoppedBy]  the label of the person who stopped it
 * @property {ErrorCode} [code]    why it stopped, where nobody stopped it
 * @property {string} [message]    the same as a sentence
 * @property {boolean} [ready]     its files are whole
 */

import { errors } from '../../public/shared/errors.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/payload.js';
import { TokenBucket } from '../token-bucket.js';
import { Recording } from './recording.js';

/** The recordings that a room may begin in a row, and the seconds after which it may begin another. */
const AT_ONCE = 3;
const EVERY_SECONDS = 20;

/** The most tracks of a recording: people may come, agree and go. */
const MAX_FILES = 1000;

/** Whether a room is being recorded, who started it and who agreed. */
export class RoomRecording {
  #settings;
  #room;
  #people;
  #tell;
  #starts;
  /** @type {RecordingState | null} */
  #state = null;
  /** @type {Recording | null} */
  #recording = null;
  #opening = false;
  #closed = false;

  /**
   * @param {Pick<Room, 'name' | 'settings' | 'changed'>} room
   * @param {ReadonlyMap<string, Participant>} people those of the room, as they come and go
   * @param {(message: object) => void} tell tells everybody in the room
   */
  constructor(room, people, tell) {
    this.#settings = room.settings;
    this.#room = room;
    this.#people = people;
    this.#tell = tell;
    const nowMs = room.settings.clock.now();
    this.#starts = new TokenBucket({ atOnce: AT_ONCE, perSecond: 1 / EVERY_SECONDS, nowMs });
  }

  /** Whether the people of this room can be recorded. */
  get offered() {
    return this.#settings.recordings?.offered ?? false;
  }

  /** The state as a person who joins is told; null while nothing is recorded. */
  get state() {
    return this.#state?.on ? this.#state : null;
  }

  /**
   * @param {Participant} participant
   * @param {boolean} on
   */
  record(participant, on) {
    if (!on) {
      this.#stop({ stoppedBy: participant.label });
      return;
    }
    if (this.#state?.on || this.#opening) return;
    const { recordings, clock } = this.#settings;
    if (!recordings?.offered) return refuse(participant, 'recording-off');
    if (!recordings.hasRoom) return refuse(participant, 'recording-limit');
    const retryMs = this.#starts.take(clock.now());
    if (retryMs > 0) return refuse(participant, 'recording-busy', retryMs);
    this.#opening = true;
    this.#start(participant)
      .catch((error) => this.#failed(participant, error))
      .finally(() => (this.#opening = false));
  }

  /** @param {Participant} participant who has agreed by that */
  async #start(participant) {
    const settings = this.#settings;
    const { codec, format, bitrate, complexity, application } = settings;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    const encoder = await codec.createEncoder({ sampleRate, frameSamples, channels, bitrate, complexity, application });
    if (this.#closed || !settings.recordings?.offered) {
      encoder.close();
      return;
    }
    const directory = settings.recordings.begin(this.#room.name, (code) => this.#stop(whyOf(code)));
    const { id, startedAt } = directory.description;
    /** @type {RecordingState} */
    const state = { id, on: true, by: participant.label, startedAt };
    this.#state = state;
    const onEnd = () => void directory.end().then(() => this.#ready(state));
    let recording;
    try {
      const payloads = new PayloadEncoder(encoder, format);
      const { lookahead } = encoder;
      recording = new Recording({ settings, room: this.#room.name, directory, encoder: payloads, lookahead, onEnd });
    } catch (error) {
      this.#state = null;
      encoder.close();
      void directory.end();
      throw error;
    }
    // The disk may be full by the first page.
    if (!state.on) return recording.stop();
    this.#recording = recording;
    this.#tell({ type: 'recording', recording: state });
    await this.#add(participant);
  }

  /**
   * Tells somebody that they can't be recorded, and logs why.
   * @param {Participant} participant
   * @param {unknown} error
   */
  #failed(participant, error) {
    this.#settings.recordings?.logError(`${participant.label} can't be recorded`, error);
    refuse(participant, 'recording-failed');
  }

  /** @param {RecordingState} state */
  #ready(state) {
    if (this.#state !== state || this.#closed) return;
    this.#state = { ...state, ready: true };
    this.#tell({ type: 'recording', recording: this.#state });
  }

  /**
   * @param {Participant} participant
   * @param {boolean} agreed whether they want to be recorded
   */
  consent(participant, agreed) {
    if (!this.#state?.on) return;
    if (agreed) {
      this.#add(participant).catch((error) => this.#failed(participant, error));
      return;
    }
    participant.agreed = false;
    this.#recording?.remove(participant.id);
    if (participant.recorded) this.#mark(participant, false);
  }

  /** @param {Participant} participant */
  async #add(participant) {
    const recording = this.#recording;
    if (participant.agreed || recording === null) return;
    if (recording.files >= MAX_FILES) return refuse(participant, 'recording-limit');
    participant.agreed = true;
    const { codec, format } = this.#settings;
    const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
    let decoder;
    try {
      decoder = new PayloadDecoder(await codec.createDecoder({ sampleRate, frameSamples, channels }), format);
    } catch (error) {
      participant.agreed = false;
      throw error;
    }
    // A person who has changed their mind meanwhile, or left, isn't recorded.
    const isThere = this.#people.get(participant.id) === participant;
    if (!participant.agreed || participant.recorded || !isThere || this.#recording !== recording) {
      decoder.close();
      return;
    }
    recording.add(participant, decoder);
    this.#mark(participant, true);
  }

  /**
   * @param {Participant} participant
   * @param {boolean} recorded
   */
  #mark(participant, recorded) {
    participant.recorded = recorded;
    this.#room.changed(participant);
  }

  /** @param {Participant} participant who has come back to their place, by another session */
  replaced(participant) {
    const goesOn = this.#recording?.replace(participant) ?? false;
    participant.agreed = goesOn;
    participant.recorded = goesOn;
  }

  /** @param {Participant} participant who left */
  left(participant) {
    this.#recording?.leave(participant.id);
  }

  /** @param {Partial<RecordingState>} why */
  #stop(why) {
    if (!this.#state?.on) return;
    this.#recording?.stop();
    this.#recording = null;
    Object.assign(this.#state, why, { on: false });
    this.#tell({ type: 'recording', recording: this.#state });
    for (const person of this.#people.values()) {
      person.agreed = false;
      if (person.recorded) this.#mark(person, false);
    }
  }

  /** The room ends; what was recorded is still written. Idempotent. */
  close() {
    this.#closed = true;
    this.#recording?.stop();
    this.#recording = null;
  }
}

/**
 * @param {'recording-limit' | 'recording-failed'} code
 * @returns {Partial<RecordingState>}
 */
const whyOf = (code) => ({ code, message: errors[code].message });

/**
 * @param {Participant} participant
 * @param {ErrorCode} code
 * @param {number} [retryMs]
 */
function refuse(participant, code, retryMs) {
  const { message } = errors[code];
  const refusal = { type: 'refused', of: 'record', code, message };
  participant.session.sendControl(retryMs === undefined ? refusal : { ...refusal, retryMs });
}
