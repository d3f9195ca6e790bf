/**
 * @import { PayloadDecoder, PayloadEncoder } from '../../public/shared/stream/payload.js'
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { TickLoad } from '../clock/load-shares.js'
 * @import { TickScheduler } from '../clock/tick-scheduler.js'
 * @import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js'
 * @import { Encoded } from './mix-track.js'
 * @import { FileDescription, RecordingDirectory } from './recording-directory.js'
 * @import { SpokenText } from '../room/record/captions.js'
 */

import { randomInt } from 'node:crypto';
import { Limiter } from '../../public/shared/sound/limiter.js';
import { MixClock } from '../clock/mix-clock.js';
import { Chapters } from './chapters.js';
import { MixTrack } from './mix-track.js';
import { GRANULE_RATE, OggOpus } from './ogg-opus.js';
import { PersonTrack } from './person-track.js';
import { preSkipOf, Track } from './track.js';
import { Transcript } from './transcript.js';

/**
 * Delay before a frame is written, in milliseconds, so that packets too late for the live mix are
 * recorded. Participants keep their packets for longer than that.
 */
const BEHIND_MS = 2000;

export const MIX_FILE = 'mix.opus';

/**
 * Files beside the sound: waveform, chapters, and captions if there were any. They are written at
 * this interval, in seconds.
 */
export const PEAKS_FILE = 'peaks.json';
export const CHAPTERS_FILE = 'chapters.vtt';
export const TRANSCRIPT_FILE = 'transcript.vtt';
const DESCRIBE_SECONDS = 5;

/** Shortest cue of a transcript, in seconds. */
const LEAST_CUE_SECONDS = 1;

/**
 * Writes a recording: the mix and a track of each person who agreed, all beginning at the same
 * sample. It reads frames from the participants' packets by its own clock, after all other readers.
 */
export class Recording {
  #settings;
  #room;
  #directory;
  #limiter;
  #mix;
  #mixTrack;
  #mixFile;
  #clock;
  #onEnd;
  /** By participant's id. @type {Map<string, PersonTrack>} */
  #tracks = new Map();
  /** Tracks of people who left, until the last frame is written. @type {Set<PersonTrack>} */
  #leaving = new Set();
  /** Tracks that have ended, or soon do: their people may still withdraw consent. */
  #earlier = /** @type {PersonTrack[]} */ ([]);
  #peaks;
  #chapters;
  #transcript = new Transcript();
  #files = 0;
  /** Number of tracks so far, by participant's id. @type {Map<string, number>} */
  #filesOf = new Map();
  #next;
  #describeFrames;
  #last = Infinity;
  #ended = false;

  /**
   * @param {object} options
   * @param {{ format: AudioFormat, ticks: TickScheduler, sampleClock: SampleClock, load?: TickLoad
   *   }} options.settings of the room
   * @param {string} options.room its name
   * @param {RecordingDirectory} options.directory
   * @param {PayloadEncoder} options.encoder of the mix; closed with this
   * @param {number} options.lookahead  of that encoder, in samples at the room's rate
   * @param {() => void} options.onEnd  called once, after everything was handed to the disk
   */
  constructor({ settings, room, directory, encoder, lookahead, onEnd }) {
    const { format, ticks, sampleClock, load } = settings;
    this.#settings = settings;
    this.#room = room;
    this.#directory = directory;
    this.#onEnd = onEnd;
    this.#limiter = new Limiter(format.sampleRate, format.channels);
    this.#mix = new Float32Array(format.frameValues);
    this.#peaks = new Peaks(format.frameMs / 1000);
    this.#chapters = new Chapters(format.frameMs / 1000);
    this.#describeFrames = Math.round((DESCRIBE_SECONDS * 1000) / format.frameMs);
    this.#next = this.firstFrame = this.#now();
    // Players skip the first frames.
    const preSkip = (preSkipOf(format) * format.sampleRate) / GRANULE_RATE;
    directory.description.firstSample = this.firstFrame * format.frameSamples + preSkip;
    const { track, file } = this.#addTrack({ file: MIX_FILE, label: 'Everybody', person: null });
    this.#mixTrack = new MixTrack(track, encoder, lookahead, format);
    this.#mixFile = file;
    const delaySamples = (BEHIND_MS * format.sampleRate) / 1000;
    this.#clock = new MixClock({
      ticks,
      sampleClock,
      frameSamples: format.frameSamples,
      delaySamples,
      load,
      mix: (frame) => this.#writeThrough(frame),
      failed: (error) => directory.failed(error),
    });
    directory.onServerClose(() => this.finish());
    this.#clock.start();
  }

  /** The frame of the present moment. */
  #now() {
    return Math.max(
      0,
      Math.floor(this.#settings.sampleClock.now() / this.#settings.format.frameSamples),
    );
  }

  /** @param {Omit<FileDescription, 'seconds'>} description */
  #addTrack(description) {
    const { format } = this.#settings;
    const { startedAt } = this.#directory.description;
    const { label } = description;
    const file = this.#directory.addFile({ ...description, seconds: null });
    const ogg = new OggOpus({
      serial: randomInt(2 ** 32),
      preSkip: preSkipOf(format),
      sampleRate: format.sampleRate,
      channels: format.channels,
      tags: {
        TITLE: `${label}, ${this.#room}`,
        ARTIST: label,
        DATE: startedAt,
        // As in a Broadcast Wave file: the place of the first sample, on the room's clock.
        TIME_REFERENCE: String(this.#directory.description.firstSample),
      },
      write: file.write,
    });
    return { track: new Track(ogg, format), file };
  }

  /**
   * Records a person from now on.
   * @param {{ id: string, label: string, place?: string, owner?: string }} member  not recorded
   *   yet; owner: the id of the person whose shared sound it is
   * @param {PacketBuffer} packets  of the member
   * @param {PayloadDecoder} decoder  closed with the track
   * @param {Encoded | null} [encoded]  for a member who sends PCM; closed with the track
   */
  add({ id, label, place, owner }, packets, decoder, encoded = null) {
    const name = fileNameOf(++this.#files, label);
    this.#filesOf.set(id, this.filesOf(id) + 1);
    const { track, file } = this.#addTrack({ file: name, label, person: id, place });
    const { format } = this.#settings;
    const { firstFrame } = this;
    const agreedFrame = this.#now();
    const options = {
      person: { id, label, owner },
      packets,
      track,
      decoder,
      file,
      format,
      firstFrame,
      agreedFrame,
      encoded,
    };
    this.#tracks.set(id, new PersonTrack(options));
  }

  /**
   * Deletes the tracks of a person who has withdrawn consent, and of all sounds that they shared.
   * Leaves them out of unwritten frames of the mix.
   * @param {string} id
   */
  remove(id) {
    const isTheirs = (/** @type {PersonTrack} */ { person }) =>
      person.id === id || person.owner === id;
    const theirs = [...this.#tracks.values(), ...this.#earlier].filter(isTheirs);
    for (const track of theirs) {
      this.#tracks.delete(track.person.id);
      this.#leaving.delete(track);
      track.remove();
    }
    this.#earlier = this.#earlier.filter((track) => !isTheirs(track));
    for (const one of new Set([id, ...theirs.map(({ person }) => person.id)])) {
      this.#chapters.forget(one);
      this.#transcript.forget(one);
    }
    this.#directory.replaceFile(CHAPTERS_FILE, this.#chapters.toVtt());
    this.#writeTranscript();
  }

  /**
   * Keeps a caption of a recorded person.
   * @param {SpokenText} spoken
   */
  caption({ speaker: { id, label }, by, text, lang, seconds }) {
    const track = this.#tracks.get(id);
    if (track === undefined) return;
    const frameSeconds = this.#settings.format.frameMs / 1000;
    const secondsAt = (/** @type {number} */ frame) => (frame - this.firstFrame) * frameSeconds;
    const to = secondsAt(this.#now());
    // Consent is for what is said from then on.
    if (to - seconds < secondsAt(track.agreedFrame)) return;
    const from = Math.max(0, to - Math.max(seconds, LEAST_CUE_SECONDS));
    this.#transcript.add({ id, label, from, to, text, lang, by });
  }

  /**
   * Continues a person's track. A track of Opus packets, kept as they come, ends before PCM.
   * @param {string} id  of a person who has reconnected
   * @param {PacketBuffer} packets  of the person from now on
   * @param {boolean} isPcm  true if the packets have PCM
   * @returns {boolean} true if they are recorded
   */
  replace(id, packets, isPcm) {
    const track = this.#tracks.get(id);
    if (track === undefined) return false;
    if (isPcm && !track.isEncoded) {
      this.leave(id);
      return false;
    }
    track.continueWith(packets);
    return true;
  }

  /** Ends the track of a person who left, at the present frame. @param {string} id */
  leave(id) {
    const track = this.#tracks.get(id);
    if (!track) return;
    track.lastFrame = this.#now();
    this.#tracks.delete(id);
    this.#leaving.add(track);
    this.#earlier.push(track);
  }

  /** Number of tracks so far, without the mix. */
  get files() {
    return this.#files;
  }

  /** @param {string} id  a participant's @returns {number} number of their tracks so far */
  filesOf(id) {
    return this.#filesOf.get(id) ?? 0;
  }

  /** Ends the recording at the present frame. Idempotent. */
  stop() {
    this.#last = Math.min(this.#last, this.#now());
  }

  /**
   * Writes all frames up to one. An error ends this recording, but not its room.
   * @param {number} frame
   */
  #writeThrough(frame) {
    try {
      while (this.#next <= frame && this.#next <= this.#last) this.#write(this.#next++);
    } catch (error) {
      this.#last = this.#next - 1;
      this.#directory.failed(error);
    }
    if (this.#next > this.#last) this.#end();
  }

  /** @param {number} frame */
  #write(frame) {
    const mix = this.#mix.fill(0);
    for (const track of this.#tracks.values()) this.#writeTrack(track, frame, mix);
    for (const track of this.#leaving) {
      this.#writeTrack(track, frame, mix);
      if (frame < track.lastFrame) continue;
      track.end();
      this.#leaving.delete(track);
    }
    this.#limiter.process(mix);
    this.#peaks.add(mix);
    this.#mixTrack.add(mix);
    if ((frame - this.firstFrame) % this.#describeFrames === this.#describeFrames - 1)
      this.#describe();
  }

  /**
   * @param {PersonTrack} track
   * @param {number} frame
   * @param {Float32Array} mix
   */
  #writeTrack(track, frame, mix) {
    const level = track.write(frame, mix);
    this.#chapters.heard(track.person.id, track.person.label, frame - this.firstFrame, level);
  }

  /** Writes the waveform and the chapters so far. */
  #describe() {
    this.#directory.replaceFile(PEAKS_FILE, JSON.stringify(this.#peaks));
    this.#directory.replaceFile(CHAPTERS_FILE, this.#chapters.toVtt());
    this.#writeTranscript();
  }

  #writeTranscript() {
    if (!this.#transcript.takeChange()) return;
    if (!this.#directory.description.transcript) {
      this.#directory.description.transcript = true;
      this.#directory.describe();
    }
    this.#directory.replaceFile(TRANSCRIPT_FILE, this.#transcript.toVtt());
  }

  /** Ends the recording at once because the server closes, and keeps it so far. Idempotent. */
  finish() {
    this.stop();
    this.#writeThrough(this.#last);
  }

  #end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#clock.stop();
    const frameSeconds = this.#settings.format.frameMs / 1000;
    const ends = [
      ...[...this.#tracks.values(), ...this.#leaving].map((track) => () => track.end()),
      () => this.#mixTrack.end(),
      () => this.#mixFile.end(this.#mixTrack.frames * frameSeconds),
      () => this.#describe(),
    ];
    // A part that fails keeps neither another file nor the recording open.
    for (const end of ends) {
      try {
        end();
      } catch (error) {
        this.#directory.failed(error);
      }
    }
    this.#onEnd();
  }
}

/**
 * @param {number} number
 * @param {string} label
 * @returns {string} such as "02-ada.opus", made of letters, digits and "-"
 */
function fileNameOf(number, label) {
  const plain = label.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return `${String(number).padStart(2, '0')}-${words.slice(0, 40) || 'person'}.opus`;
}

/** Limit of points in a waveform; beyond it each two are merged. */
export const MAX_PEAKS = 2000;

/** Initial length of a point, in milliseconds. */
const FIRST_STEP_MS = 100;

/** Value of a point at full scale. */
const FULL_SCALE = 100;

/**
 * Collects the waveform of a mix during the recording: peaks of equal stretches, MAX_PEAKS / 2 to
 * MAX_PEAKS of them in a long recording.
 */
export class Peaks {
  #points = new Uint8Array(MAX_PEAKS);
  #count = 0;
  #frameSeconds;
  #framesEach;
  #frames = 0;
  #peak = 0;

  /** @param {number} frameSeconds  duration of a frame */
  constructor(frameSeconds) {
    this.#frameSeconds = frameSeconds;
    this.#framesEach = Math.max(1, Math.round(FIRST_STEP_MS / 1000 / frameSeconds));
  }

  /** Adds a frame. @param {Float32Array} pcm */
  add(pcm) {
    for (let i = 0; i < pcm.length; i++) {
      const value = Math.abs(pcm[i]);
      if (value > this.#peak) this.#peak = value;
    }
    if (++this.#frames < this.#framesEach) return;
    this.#points[this.#count++] = Math.min(FULL_SCALE, Math.round(this.#peak * FULL_SCALE));
    this.#frames = 0;
    this.#peak = 0;
    if (this.#count === MAX_PEAKS) this.#fold();
  }

  #fold() {
    const points = this.#points;
    for (let i = 0; i < MAX_PEAKS / 2; i++) points[i] = Math.max(points[2 * i], points[2 * i + 1]);
    this.#count = MAX_PEAKS / 2;
    this.#framesEach *= 2;
  }

  /**
   * @returns {{ step: number, peaks: number[] }} step: seconds per point; peaks: 0 to 100, full
   *   scale
   */
  toJSON() {
    return {
      step: this.#framesEach * this.#frameSeconds,
      peaks: [...this.#points.subarray(0, this.#count)],
    };
  }
}
