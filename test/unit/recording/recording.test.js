import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readWav } from '../../../testkit/sound/wav.js';
import { MAX_PACKET_BYTES, Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { levelDb } from '../../../public/shared/sound/signal.js';
import { OPEN_GRANT } from '../../../server/state/grant.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { preSkipOf } from '../../../server/recording/track.js';
import { Recordings } from '../../../server/recording/recordings.js';
import { Conference, settle } from '../../fakes/conference.js';
import { FakeSession } from '../../fakes/fake-session.js';
import { readOggOpus } from '../../fakes/ogg-file.js';
import { logTo } from '../../../testkit/log-lines.js';

/** Pre-skip of a file of frames of 20 ms, in samples. */
const BEGIN = 3840;

/** @typedef {import('../../fakes/conference.js').Person} Person */

const codec = await loadCodec('libopus-wasm');
const wavs = await Promise.all(
  ['speech-low', 'speech-high'].map((name) =>
    readWav(new URL(`../../../testkit/speech/${name}.wav`, import.meta.url)),
  ),
);
const [low, high] = wavs.map(({ channels }) => channels[0]);

/** @type {string[]} */
const directories = [];
/** Closes what a test began to record. @type {(() => Promise<unknown>)[]} */
const closers = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  for (const directory of directories.splice(0))
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

/**
 * Lets what waits for the disk be written: a recording whole, or what there is of it.
 * @param {Talker} [talker] called when the file is whole
 */
async function written(talker) {
  if (talker) await vi.waitFor(() => expect(talker.recording.ready).toBe(true));
  else await pause(500);
}

/**
 * @param {{ limitBytes?: number, directory?: string, keepHours?: number } & Record<string, any>}
 *   [options]
 */
async function conferenceThatRecords({
  limitBytes = 1e9,
  keepHours = 24,
  directory,
  ...options
} = {}) {
  const root = directory ?? (await mkdtemp(join(tmpdir(), 'recordings-')));
  if (!directory) directories.push(root);
  const warnings = /** @type {string[]} */ ([]);
  const log = {
    ...logTo(warnings),
  };
  const conference = new Conference({
    codec,
    bitrate: 64000,
    complexity: 3,
    application: 'low-delay',
    ...options,
  });
  const clock = conference.clock;
  const recordings = new Recordings({
    directory: root,
    limitBytes,
    keepHours,
    clock,
    wallNow: options.wallNow ?? Date.now,
    log,
  });
  const { rooms } = conference;
  conference.services.recordings = recordings;
  closers.push(() => {
    rooms.close();
    return recordings.close();
  });
  return { conference, recordings, rooms, directory: root, warnings };
}

/** Somebody who speaks a piece of sound, frame by frame of the room's grid. */
class Talker {
  #packet = new Packet();
  #encoder;

  /** @param {Person} person @param {Float32Array} speech @param {PayloadEncoder} encoder */
  constructor(person, speech, encoder) {
    this.person = person;
    this.speech = speech;
    this.#encoder = encoder;
  }

  /** @param {Conference} conference @param {string} name @param {Float32Array} speech */
  static async join(conference, name, speech) {
    const { format } = conference;
    const settings = {
      sampleRate: format.sampleRate,
      frameSamples: format.opusFrameSamples,
      bitrate: 64000,
    };
    const encoder = new PayloadEncoder(await codec.createEncoder(settings), format);
    return new Talker(await conference.join(name), speech, encoder);
  }

  /**
   * @param {number} frame
   * @param {number} [from] where in the speech the first frame of the grid is
   */
  packetOf(frame, from = 0) {
    const { frameSamples } = this.person.conference.format;
    const pcm = new Float32Array(frameSamples);
    for (let i = 0; i < frameSamples; i++)
      pcm[i] = this.speech[(from + frame * frameSamples + i) % this.speech.length];
    const bytes = new Uint8Array(MAX_PACKET_BYTES);
    this.#packet.frame = frame;
    this.#packet.sequence = frame & 0xffff;
    const start = writeAudioHeader(bytes, this.#packet);
    return bytes.slice(0, start + this.#encoder.encode(pcm, bytes, start));
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    this.person.session.handler?.packet(bytes, this.person.conference.clock.now());
  }

  /** @param {object} message */
  say(message) {
    this.person.session.handler?.control(message);
  }

  /** Last message about the recording. */
  get recording() {
    return this.person.session.told('recording').at(-1)?.recording;
  }
}

/**
 * Lets frames pass in which everybody speaks.
 * @param {Conference} conference
 * @param {Talker[]} talkers
 * @param {number} frames
 */
function speak(conference, talkers, frames) {
  for (let i = 0; i < frames; i++) {
    const frame = Math.floor(conference.sampleClock.now() / conference.format.frameSamples);
    conference.pass(1);
    for (const talker of talkers) talker.send(talker.packetOf(frame));
  }
}

/**
 * The recorded sound, by file.
 * @param {Recordings} recordings
 * @param {string} id
 * @param {string} directory
 */
async function filesOf(recordings, id, directory) {
  const description = await recordings.describe(id);
  const files = /** @type {Record<string, Awaited<ReturnType<typeof readOggOpus>>>} */ ({});
  for (const { file } of description?.files ?? [])
    files[file] = await readOggOpus(await readFile(join(directory, id, file)));
  return { description, files };
}

/**
 * Position of a piece of a track in the spoken sound, or in another track.
 * @param {Float32Array} heard
 * @param {Float32Array} spoken that comes round again at its end
 * @param {number} expected where the heard one's first sample should be in it
 * @param {number} [at]
 * @param {number} [length]
 * @returns {{ off: number, correlation: number, dB: number }} off: offset in samples, at most 60
 */
function compare(heard, spoken, expected, at = 24000, length = 96000) {
  const piece = heard.subarray(at, at + length);
  const start = expected + at - 60 + 10 * spoken.length;
  const near = Float32Array.from(
    { length: length + 120 },
    (_, i) => spoken[(start + i) % spoken.length],
  );
  const { lag, correlation } = bestLag(piece, near);
  return {
    off: lag - 60,
    correlation,
    dB: levelDb(piece) - levelDb(near.subarray(lag, lag + length)),
  };
}

/** @param {Float32Array} piece @param {Float32Array} near */
function bestLag(piece, near) {
  let best = { lag: -1, correlation: -1 };
  for (let lag = 0; lag + piece.length <= near.length; lag++) {
    let [sum, own, other] = [0, 0, 0];
    for (let i = 0; i < piece.length; i += 5) {
      sum += piece[i] * near[lag + i];
      own += piece[i] * piece[i];
      other += near[lag + i] * near[lag + i];
    }
    const correlation = sum / Math.sqrt(own * other);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

/** A room in which Bob was recorded for 100 frames, and is in a group now. */
async function recordedThenInGroup() {
  const world = await conferenceThatRecords();
  const { conference } = world;
  const [ann, bob] = [
    await Talker.join(conference, 'Ann', new Float32Array(960)),
    await Talker.join(conference, 'Bob', high),
  ];
  const move = (/** @type {number} */ group) =>
    ann.say({ type: 'moderate', action: 'group', person: bob.person.id, group });
  ann.say({ type: 'record', on: true });
  await settle();
  bob.say({ type: 'recordConsent', agreed: true });
  await settle();
  speak(conference, [ann, bob], 100);
  ann.say({ type: 'moderate', action: 'groups', count: 2 });
  move(1);
  return { ...world, ann, bob, move };
}

describe('a recording', () => {
  it('can be stopped by the operator, who is named, and is in the list of all', async () => {
    const { conference, recordings, rooms } = await conferenceThatRecords();
    const ann = await Talker.join(conference, 'Ann', low);
    expect(rooms.get('lab')?.record.recording.stop('The server’s operator')).toBe(false);
    ann.say({ type: 'record', on: true });
    await vi.waitFor(() => expect(ann.recording?.on).toBe(true));
    const { id } = ann.recording;
    expect(await recordings.list(10)).toEqual([
      {
        id,
        room: 'lab',
        startedAt: expect.any(String),
        stoppedAt: null,
        isPublic: false,
        on: true,
      },
    ]);
    expect(recordings.usage).toMatchObject({ limitBytes: 1e9, open: 1 });
    expect(rooms.get('lab')?.record.recording.stop('The server’s operator')).toBe(true);
    expect(ann.recording).toMatchObject({ on: false, stoppedBy: 'The server’s operator' });
    expect(rooms.get('lab')?.record.recording.stop('The server’s operator')).toBe(false);
    conference.pass(150);
    await written(ann);
    expect(await recordings.list(10)).toMatchObject([
      { id, on: false, stoppedAt: expect.any(String) },
    ]);
    expect(await recordings.list(0)).toEqual([]);
  });

  it('has the mix and each person’s track as spoken, all starting at the same sample', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const [ann, bob] = [
      await Talker.join(conference, 'Ann', low),
      await Talker.join(conference, 'Bób (x)', high),
    ];
    speak(conference, [ann, bob], 33);
    ann.say({ type: 'record', on: true });
    await settle();
    expect(ann.recording).toMatchObject({
      on: true,
      by: 'Ann',
      id: expect.stringMatching(/^[\w-]{22}$/),
    });
    const { id } = ann.recording;
    const firstFrame = Math.floor(conference.sampleClock.now() / 960);
    speak(conference, [ann, bob], 50);
    bob.say({ type: 'recordConsent', agreed: true });
    await settle();
    speak(conference, [ann, bob], 300);
    bob.say({ type: 'record', on: false });
    expect(bob.person.session.told('refused')).toMatchObject([
      { of: 'record', code: 'recording-others' },
    ]);
    expect(ann.recording).toMatchObject({ id, on: true, person: ann.person.id });
    ann.say({ type: 'record', on: false });
    expect(ann.recording).toMatchObject({ id, on: false, stoppedBy: 'Ann' });
    speak(conference, [ann, bob], 110);
    await written(ann);
    expect(ann.recording).toMatchObject({ id, on: false, ready: true });
    const { description, files } = await filesOf(recordings, id, directory);
    expect(description?.files.map(({ file, label, person }) => [file, label, person])).toEqual([
      ['mix.opus', 'Everybody', null],
      ['01-ann.opus', 'Ann', ann.person.id],
      ['02-bob-x.opus', 'Bób (x)', bob.person.id],
    ]);
    expect(files['02-bob-x.opus'].comments).toContain('TITLE=Bób (x), lab');
    const tracks = {
      mix: files['mix.opus'],
      ann: files['01-ann.opus'],
      bob: files['02-bob-x.opus'],
    };
    for (const { ended } of Object.values(tracks)) expect(ended).toBe(true);
    expect(tracks.ann.samples.length).toBe(tracks.bob.samples.length);
    // Players that leave out whole packets alone begin at the same sample.
    expect([tracks.mix.preSkip, tracks.ann.preSkip]).toEqual([BEGIN, BEGIN]);
    expect(tracks.mix.samples.length).toBe(tracks.ann.samples.length);
    expect(description?.files[1].seconds).toBeCloseTo(351 * 0.02, 1);

    // The speech's own place: the grid's, with what players leave out, less the encoder's
    // lookahead.
    const begin = firstFrame * 960 + BEGIN - 120;
    const pairs = [
      compare(tracks.ann.samples, low, begin, 24000, 240000),
      compare(tracks.bob.samples, high, begin, 72000, 200000),
      compare(
        tracks.mix.samples,
        tracks.ann.samples.map((sample, i) => sample + tracks.bob.samples[i]),
        0,
        72000,
      ),
    ];
    for (const { off, correlation, dB } of pairs) {
      expect(off).toBe(0);
      expect(correlation).toBeGreaterThan(0.97);
      expect(Math.abs(dB)).toBeLessThan(0.5);
    }
  });

  it("has nothing of who hasn't agreed, nor of what was before", async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const [ann, bob] = [
      await Talker.join(conference, 'Ann', new Float32Array(960)),
      await Talker.join(conference, 'Bob', high),
    ];
    ann.say({ type: 'record', on: true });
    await settle();
    speak(conference, [ann, bob], 200);
    expect(bob.person.session.told('changed').at(-1).person).toMatchObject({
      id: ann.person.id,
      recorded: true,
    });
    bob.say({ type: 'recordConsent', agreed: false });
    speak(conference, [ann, bob], 50);
    bob.say({ type: 'recordConsent', agreed: true });
    await settle();
    speak(conference, [ann, bob], 200);
    ann.say({ type: 'record', on: false });
    speak(conference, [ann, bob], 110);
    await written(ann);
    const { files } = await filesOf(recordings, ann.recording.id, directory);
    const agreedAt = 250 * 960 - BEGIN;
    for (const file of ['mix.opus', '02-bob.opus']) {
      expect(levelDb(files[file].samples.subarray(0, agreedAt - 120))).toBeLessThan(-80);
      expect(levelDb(files[file].samples.subarray(agreedAt + 9600))).toBeGreaterThan(-40);
    }
  });

  it('deletes a track at once when its person withdraws, and omits them from the mix', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const [ann, bob] = [
      await Talker.join(conference, 'Ann', new Float32Array(960)),
      await Talker.join(conference, 'Bob', high),
    ];
    ann.say({ type: 'record', on: true });
    bob.say({ type: 'recordConsent', agreed: true });
    await settle();
    bob.say({ type: 'recordConsent', agreed: true });
    await settle();
    speak(conference, [ann, bob], 300);
    await written();
    const { id } = ann.recording;
    expect((await readdir(join(directory, id))).toSorted()).toContain('02-bob.opus');
    bob.say({ type: 'recordConsent', agreed: false });
    expect(ann.person.session.told('changed').at(-1).person).toMatchObject({
      id: bob.person.id,
      recorded: false,
    });
    await written();
    expect((await readdir(join(directory, id))).toSorted()).toEqual([
      '01-ann.opus',
      'chapters.vtt',
      'mix.opus',
      'recording.json',
    ]);
    expect(await readFile(join(directory, id, 'chapters.vtt'), 'utf8')).not.toMatch(/Bob/);
    speak(conference, [ann, bob], 200);
    ann.say({ type: 'record', on: false });
    speak(conference, [ann, bob], 110);
    await written(ann);
    const { files, description } = await filesOf(recordings, id, directory);
    expect(Object.keys(files)).toEqual(['mix.opus', '01-ann.opus']);
    expect(description?.files.length).toBe(2);
    // The part of Bob that was written when he changed his mind is there, the rest isn't.
    const { samples } = files['mix.opus'];
    expect(levelDb(samples.subarray(48000, 180000))).toBeGreaterThan(-40);
    expect(levelDb(samples.subarray(202 * 960))).toBeLessThan(-80);
  });

  it('keeps what one said before one went into a group, and goes on when one is back', async () => {
    const { conference, recordings, directory, ann, bob, move } = await recordedThenInGroup();
    speak(conference, [ann, bob], 100);
    move(0);
    await settle();
    speak(conference, [ann, bob], 100);
    await written();
    const { id } = ann.recording;
    const names = async () => (await readdir(join(directory, id))).filter((f) => /opus/.test(f));
    expect(await names()).toEqual(['01-ann.opus', '02-bob.opus', '03-bob.opus', 'mix.opus']);
    ann.say({ type: 'record', on: false });
    speak(conference, [ann, bob], 110);
    await written(ann);
    const { files } = await filesOf(recordings, id, directory);
    const level = (/** @type {string} */ file, /** @type {number} */ frame) =>
      levelDb(files[file].samples.subarray(frame * 960, (frame + 40) * 960));
    for (const file of ['02-bob.opus', 'mix.opus']) expect(level(file, 20)).toBeGreaterThan(-40);
    expect(files['02-bob.opus'].samples.length).toBeLessThan(130 * 960);
    for (const file of ['03-bob.opus', 'mix.opus']) {
      expect(level(file, 130)).toBeLessThan(-80);
      expect(level(file, 240)).toBeGreaterThan(-40);
    }
  });

  it('deletes all of a person who withdraws in a group, and doesn’t begin again', async () => {
    const { conference, directory, ann, bob, move } = await recordedThenInGroup();
    bob.say({ type: 'recordConsent', agreed: false });
    speak(conference, [ann, bob], 150);
    move(0);
    await settle();
    speak(conference, [ann, bob], 50);
    await written();
    const files = await readdir(join(directory, ann.recording.id));
    expect(files.filter((file) => /bob/.test(file))).toEqual([]);
  });

  it('asks newcomers while it runs, and ends the track of a person who leaves', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    speak(conference, [ann], 100);
    const bob = await Talker.join(conference, 'Bob', high);
    const [welcome] = bob.person.session.told('welcome');
    expect(welcome).toMatchObject({
      canRecord: true,
      recording: { on: true, by: 'Ann', id: ann.recording.id },
    });
    bob.say({ type: 'recordConsent', agreed: true });
    await settle();
    speak(conference, [ann, bob], 100);
    bob.person.session.close(0, '');
    speak(conference, [ann], 150);
    ann.say({ type: 'record', on: false });
    speak(conference, [ann], 110);
    await written(ann);
    const { files, description } = await filesOf(recordings, ann.recording.id, directory);
    expect(files['02-bob.opus'].samples.length).toBe(201 * 960 - BEGIN);
    expect(description?.files[2].seconds).toBeCloseTo(201 * 0.02, 6);
    expect((await conference.join('Cid')).session.told('welcome')[0].recording).toBe(null);
  });

  it('goes on in the same track when a lost connection comes back', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    speak(conference, [ann], 100);
    const { resume } = ann.person.session.told('welcome')[0];
    ann.person.session.close(19, 'lost');
    conference.pass(40);
    const back = await conference.join('Ann', { resume });
    expect(back.session.told('welcome')[0]).toMatchObject({
      recording: { on: true },
      people: [{ id: ann.person.id, recorded: true }],
    });
    ann.person = back;
    speak(conference, [ann], 160);
    ann.say({ type: 'record', on: false });
    speak(conference, [ann], 110);
    await written(ann);
    const { files } = await filesOf(recordings, ann.recording.id, directory);
    expect(Object.keys(files)).toEqual(['mix.opus', '01-ann.opus']);
    const lengths = files['01-ann.opus'].packets.map((packet) => packet.length);
    expect(lengths.slice(0, 100).every((length) => length > 3)).toBe(true);
    // Missing frames are concealed for 80 ms, then silent.
    expect(lengths.slice(100, 140)).toEqual([...Array(4).fill(1), ...Array(36).fill(3)]);
    expect(lengths.slice(140, 300).every((length) => length > 3)).toBe(true);
    // A person who comes back after the end isn't recorded any more.
    const token = back.session.told('welcome')[0].resume;
    ann.say({ type: 'record', on: true });
    await settle();
    const bob = await Talker.join(conference, 'Bob', high);
    back.session.close(19, 'lost');
    bob.say({ type: 'record', on: false });
    const again = await conference.join('Ann', { resume: token });
    expect(
      again.session.told('welcome')[0].people.map((/** @type {any} */ { recorded }) => recorded),
    ).toEqual([false, false]);
  });

  it('accepts late, doubled or reordered packets, and conceals missing ones', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    const late = /** @type {{ at: number, bytes: Uint8Array }[]} */ ([]);
    for (let frame = 0; frame < 300; frame++) {
      conference.pass(1);
      const bytes = ann.packetOf(frame);
      if (frame % 30 === 10) continue;
      if (frame % 7 === 3) late.push({ at: frame + 60, bytes });
      else ann.send(bytes);
      for (const one of late.filter(({ at }) => at === frame)) ann.send(one.bytes);
    }
    ann.say({ type: 'record', on: false });
    conference.pass(110);
    await written(ann);
    const { files } = await filesOf(recordings, ann.recording.id, directory);
    const track = files['01-ann.opus'];
    expect(track.packets.length).toBe(301);
    const lengths = track.packets.slice(0, 230).map((packet) => packet.length);
    expect(lengths.flatMap((length, frame) => (length < 3 ? [frame] : []))).toEqual([
      10, 40, 70, 100, 130, 160, 190, 220,
    ]);
    const { off, correlation } = compare(track.samples, low, BEGIN - 120, 24000, 180000);
    expect(off).toBe(0);
    expect(correlation).toBeGreaterThan(0.9);
  });

  it.each([
    [{ frameMs: 10 }, 48000],
    [{ frameMs: 60 }, 48000],
    [{ frameMs: 80, opusFrames: 8, sampleRate: 8000 }, 8000],
    [{ frameMs: 20, opusFrames: 2, sampleRate: 16000 }, 16000],
  ])('keeps to the grid with a format of %j', async (format, sampleRate) => {
    const { conference, recordings, directory } = await conferenceThatRecords({
      ...format,
      bitrate: 24000,
    });
    const step = 48000 / sampleRate;
    const speech = Float32Array.from(
      { length: Math.floor(low.length / step / 48000) * 48000 || 48000 },
      (_, i) => {
        let sum = 0;
        for (let j = 0; j < step; j++) sum += low[(i * step + j) % low.length];
        return sum / step;
      },
    );
    const ann = await Talker.join(conference, 'Ann', speech);
    speak(conference, [ann], 3);
    ann.say({ type: 'record', on: true });
    await settle();
    const firstFrame = Math.floor(conference.sampleClock.now() / conference.format.frameSamples);
    speak(conference, [ann], Math.round(4000 / conference.format.frameMs));
    ann.say({ type: 'record', on: false });
    conference.pass(Math.ceil(2200 / conference.format.frameMs));
    await written(ann);
    const { files } = await filesOf(recordings, ann.recording.id, directory);
    const { samples, inputRate } = files['01-ann.opus'];
    expect(inputRate).toBe(sampleRate);
    for (const { preSkip } of Object.values(files))
      expect(((preSkip * sampleRate) / 48_000) % conference.format.opusFrameSamples).toBe(0);
    const { lookahead } = await codec.createEncoder({
      sampleRate,
      frameSamples: conference.format.opusFrameSamples,
    });
    const begin =
      firstFrame * conference.format.frameSamples + preSkipOf(conference.format) / step - lookahead;
    const there = samples.filter((_, i) => i % step === 0);
    const spoken = compare(there, speech, begin, sampleRate / 2, 2 * sampleRate);
    // A decoder at 48 kHz of sound at another rate has a resampler's delay.
    expect(Math.abs(spoken.off)).toBeLessThanOrEqual(step > 1 ? 2 : 0);
    expect(spoken.correlation).toBeGreaterThan(0.8);
    const mixed = compare(files['mix.opus'].samples, samples, 0);
    expect(Math.abs(mixed.off)).toBeLessThanOrEqual(step > 1 ? 2 : 0);
    expect(mixed.correlation).toBeGreaterThan(0.8);
  });

  it('is silent where a client sent something else than Opus, and still whole', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    for (let frame = 0; frame < 200; frame++) {
      conference.pass(1);
      const bytes = ann.packetOf(frame);
      if (frame >= 100) bytes.fill(0xff, 9);
      ann.send(bytes);
    }
    ann.say({ type: 'record', on: false });
    conference.pass(110);
    await written(ann);
    const { files } = await filesOf(recordings, ann.recording.id, directory);
    expect(files['01-ann.opus'].samples.length).toBe(201 * 960 - BEGIN);
    expect(levelDb(files['01-ann.opus'].samples.subarray(150 * 960))).toBeLessThan(-50);
  });

  it('is whole when everybody leaves, and when the server closes', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const [ann, bob] = [
      await Talker.join(conference, 'Ann', low),
      await Talker.join(conference, 'Bob', high),
    ];
    ann.say({ type: 'record', on: true });
    await settle();
    const first = ann.recording.id;
    speak(conference, [ann, bob], 150);
    ann.person.session.close(0, '');
    bob.person.session.close(0, '');
    conference.pass(110);
    await written();
    expect((await filesOf(recordings, first, directory)).files['01-ann.opus'].ended).toBe(true);

    const cid = await Talker.join(conference, 'Cid', low);
    cid.say({ type: 'record', on: true });
    await settle();
    speak(conference, [cid], 150);
    const second = cid.recording.id;
    conference.rooms.close();
    await recordings.close();
    const track = await readOggOpus(await readFile(join(directory, second, '01-cid.opus')));
    expect(track.ended).toBe(true);
    expect(track.samples.length).toBe(151 * 960 - BEGIN);
    expect(conference.clock.waiting).toBe(0);
  });

  it('can be played when the server ended in the middle of it', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords();
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    speak(conference, [ann], 400);
    const { id } = ann.recording;
    const again = await conferenceThatRecords({ directory });
    // The disk takes its time.
    await vi.waitFor(async () => {
      const { description, files } = await filesOf(again.recordings, id, directory);
      expect(description).toMatchObject({ room: 'lab', on: false, stoppedAt: null });
      for (const file of ['mix.opus', '01-ann.opus']) {
        expect(files[file].ended).toBe(false);
        expect(files[file].samples.length).toBeGreaterThan(4 * 48000);
      }
    }, 8000);
    expect((await recordings.describe(id))?.on).toBe(true);
  });
});

describe('a recording is not made', () => {
  it('where there are none, in a mirror, or again and again', async () => {
    const none = await conferenceThatRecords({ limitBytes: 0 });
    const ann = await Talker.join(none.conference, 'Ann', low);
    expect(ann.person.session.told('welcome')[0].canRecord).toBe(false);
    ann.say({ type: 'record', on: true });
    expect(ann.person.session.told('refused')).toMatchObject([
      { of: 'record', code: 'recording-off' },
    ]);

    const { conference } = await conferenceThatRecords();
    const mirror = await conference.join('Ann', { mirror: true });
    mirror.session.handler?.control({ type: 'record', on: true });
    expect(mirror.session.told('refused')).toMatchObject([{ code: 'recording-off' }]);
    const bob = await Talker.join(conference, 'Bob', low);
    for (let i = 0; i < 4; i++) {
      bob.say({ type: 'record', on: true });
      await settle();
      bob.say({ type: 'record', on: true });
      bob.say({ type: 'record', on: false });
    }
    const refused = { code: 'recording-busy', retryMs: 20000 };
    expect(bob.person.session.told('refused')).toMatchObject([refused, refused]);
  });

  /**
   * Somebody in a room of their own who starts a recording.
   * @param {Conference} conference
   * @param {string} room
   * @param {string} [peer]
   * @param {string | null} [identity]  of their token
   */
  const recordIn = async (conference, room, peer = '192.0.2.1:1', identity = null) => {
    const session = new FakeSession(conference.transport);
    session.peer = peer;
    conference.rooms.join(
      room,
      'Eve',
      session,
      {},
      { grant: { ...OPEN_GRANT, identity }, password: null },
    );
    session.handler?.control({ type: 'record', on: true });
    await settle();
    const code = session.told('refused')[0]?.code ?? 'recorded';
    session.close(0, '');
    return code;
  };

  it('beyond the disk limit, even by empty ones, or beyond the share of one network', async () => {
    const { conference, recordings } = await conferenceThatRecords({ limitBytes: 102_000 });
    const codes = [];
    for (let i = 0; i < 6; i++) codes.push(await recordIn(conference, `room-${i}`));
    // Five of 16 KiB are more than four times what is left of 102 kB.
    expect(codes).toEqual([...new Array(5).fill('recorded'), 'recording-share']);
    expect(await recordIn(conference, 'another', '192.0.2.2:1')).toBe('recorded');
    expect(recordings.stats()).toMatchObject({ recordings: 6, limitBytes: 102_000 });
    expect(recordings.stats().bytes).toBeGreaterThan(6 * 16 * 1024);
    expect(await recordIn(conference, 'one-more', '192.0.2.3:1')).toBe('recorded');
    expect(await recordIn(conference, 'too-many', '192.0.2.4:1')).toBe('recording-limit');
  });

  it('beyond a token holder’s share, which is separate from others at their address', async () => {
    const { conference } = await conferenceThatRecords({ limitBytes: 102_000 });
    const codes = [];
    for (let i = 0; i < 6; i++)
      codes.push(await recordIn(conference, `room-${i}`, `192.0.2.${i}:1`, 'ann'));
    expect(codes).toEqual([...new Array(5).fill('recorded'), 'recording-share']);
    expect(await recordIn(conference, 'another', '192.0.2.1:1')).toBe('recorded');
    expect(await recordIn(conference, 'one-more', '192.0.2.1:1', 'bob')).toBe('recorded');
  });

  it('too often from one network, in however many rooms', async () => {
    const { conference } = await conferenceThatRecords();
    const codes = [];
    for (let i = 0; i < 20; i++)
      codes.push(await recordIn(conference, `room-${i}`, `198.51.100.7:${i}`));
    expect(codes).toEqual([
      ...new Array(10).fill('recorded'),
      ...new Array(10).fill('recording-busy'),
    ]);
    expect(await recordIn(conference, 'room-1', '[2001:db8::1]:5')).toBe('recorded');
  });

  it('ends once files were deleted by hand, because existing files are counted', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords({
      limitBytes: 33_000,
    });
    for (let i = 0; i < 2; i++) await recordIn(conference, `room-${i}`, `192.0.2.${i}:1`);
    conference.clock.advance(3000);
    await written();
    expect(await recordIn(conference, 'room-2', '192.0.2.2:1')).toMatch(
      /^recording-(share|limit)$/,
    );
    for (const id of await readdir(directory)) await rm(join(directory, id), { recursive: true });
    conference.clock.advance(11_000);
    expect(await recordIn(conference, 'room-2', '192.0.2.2:1')).toMatch(
      /^recording-(share|limit)$/,
    );
    await vi.waitFor(() => expect(recordings.stats()).toMatchObject({ recordings: 0, bytes: 0 }));
    expect(await recordIn(conference, 'room-2', '192.0.2.2:1')).toBe('recorded');
  });

  it('beyond the limit on the disk: it stops, and everybody is notified', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords({
      limitBytes: 70_000,
    });
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    speak(conference, [ann], 500);
    await written();
    expect(ann.recording).toMatchObject({
      on: false,
      ready: true,
      code: 'recording-share',
      message: expect.stringMatching(/room/),
    });
    const { description, files } = await filesOf(recordings, ann.recording.id, directory);
    expect(files['01-ann.opus'].ended).toBe(true);
    const bytes = description?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0;
    expect(bytes).toBeGreaterThan(35_000);
    expect(bytes).toBeLessThan(90_000);
    ann.say({ type: 'record', on: true });
    expect(ann.person.session.told('refused')).toMatchObject([
      { code: expect.stringMatching(/^recording-(share|limit)$/) },
    ]);
  });

  it("where the disk can't be written: it stops, and everybody is notified", async () => {
    const { conference, warnings } = await conferenceThatRecords({
      directory: '/dev/null/recordings',
    });
    const ann = await Talker.join(conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    await written();
    expect(ann.recording).toMatchObject({ on: false, code: 'recording-failed' });
    speak(conference, [ann], 200);
    await written();
    expect(warnings.length).toBe(1);
    expect(ann.person.session.closed).toBe(null);
  });
});

describe('recordings', () => {
  it('stop and say so when the codec fails, log the stack, and don’t affect the room', async () => {
    const codecOfRoom = /** @type {any} */ ({ ...codec });
    const { conference, recordings, directory, warnings } = await conferenceThatRecords({
      codec: codecOfRoom,
    });
    const ada = await Talker.join(conference, 'Ada', low);
    conference.pass(20);
    let left = 50;
    codecOfRoom.createEncoder = async (/** @type {any} */ settings) => {
      const encoder = await codec.createEncoder(settings);
      const encode = encoder.encode.bind(encoder);
      encoder.encode = (/** @type {Parameters<typeof encode>} */ ...frame) => {
        if (left-- > 0) return encode(...frame);
        throw new Error('out of order');
      };
      return encoder;
    };
    ada.say({ type: 'record', on: true });
    await vi.waitFor(() => expect(ada.recording).toMatchObject({ on: true }));
    speak(conference, [ada], 250);
    expect(ada.recording).toMatchObject({ on: false, code: 'recording-failed' });
    expect(warnings).toEqual([
      expect.stringMatching(/^recording could not be written .*Error: out of order\\n +at /),
    ]);
    await written(ada);
    const { files } = await filesOf(recordings, ada.recording.id, directory);
    expect(Object.keys(files)).toEqual(['mix.opus', '01-ada.opus']);
    const packets = ada.person.session.packets.length;
    speak(conference, [ada], 10);
    expect(ada.person.session.packets.length).toBeGreaterThan(packets);
  });

  it('that can’t start or add a track tell the person asking, and log the stack', async () => {
    const codecOfRoom = /** @type {any} */ ({ ...codec });
    const { conference, warnings } = await conferenceThatRecords({ codec: codecOfRoom });
    const [ada, bo] = [
      await Talker.join(conference, 'Ada', low),
      await Talker.join(conference, 'Bo', high),
    ];
    const refused = { type: 'refused', of: 'record', code: 'recording-failed' };
    codecOfRoom.createEncoder = () => Promise.reject(new Error('no encoder'));
    ada.say({ type: 'record', on: true });
    await vi.waitFor(() =>
      expect(ada.person.session.messages).toContainEqual(expect.objectContaining(refused)),
    );
    codecOfRoom.createEncoder = codec.createEncoder;
    ada.say({ type: 'record', on: true });
    await vi.waitFor(() => expect(bo.recording).toMatchObject({ on: true }));
    codecOfRoom.createDecoder = () => Promise.reject(new Error('no decoder'));
    bo.say({ type: 'recordConsent', agreed: true });
    await vi.waitFor(() =>
      expect(bo.person.session.messages).toContainEqual(expect.objectContaining(refused)),
    );
    expect(warnings).toEqual([
      expect.stringMatching(/"room":"lab","participant":"1","error":"Error: no encoder/),
      expect.stringMatching(/"room":"lab","participant":"2","error":"Error: no decoder/),
    ]);
    ada.say({ type: 'record', on: false });
    conference.pass(250);
    await written(ada);
  });

  it('are deleted when they are old, and by hand', async () => {
    const { conference, recordings, directory } = await conferenceThatRecords({
      keepHours: 2,
      wallNow: Date.now,
    });
    /** @type {string[]} */
    const removed = [];
    recordings.whenRemoved((id) => removed.push(id));
    const ann = await Talker.join(conference, 'Ann', low);
    const ids = [];
    for (let i = 0; i < 3; i++) {
      ann.say({ type: 'record', on: true });
      await settle();
      speak(conference, [ann], 20);
      ids.push(ann.recording.id);
      if (i === 2) break;
      ann.say({ type: 'record', on: false });
      speak(conference, [ann], 110);
    }
    await written();
    expect(await recordings.remove('../../etc')).toBe(false);
    expect(await recordings.remove(ids[2])).toBe(false);
    expect(await recordings.remove(ids[1])).toBe(true);
    expect(await recordings.describe(ids[1])).toBe(null);
    const threeHoursAgo = new Date(Date.now() - 3 * 3600 * 1000);
    for (const name of ['recording.json', 'mix.opus'])
      await utimes(join(directory, ids[0], name), threeHoursAgo, threeHoursAgo);
    await recordings.sweep();
    expect(await recordings.describe(ids[0])).toBe(null);
    expect(removed).toEqual([ids[1], ids[0]]);
    // The frame that is being written is as old as it may be.
    expect(await recordings.describe(ids[2])).toMatchObject({ on: true });
    expect(await readdir(directory)).toEqual([ids[2]]);
    await utimes(join(directory, ids[2], 'recording.json'), 0, 0);
    expect((await stat(join(directory, ids[2]))).mode & 0o077).toBe(0);
  });

  it('are deleted when old, even if the server ended before it described them', async () => {
    let now = Date.now();
    const { conference, recordings, directory } = await conferenceThatRecords({
      keepHours: 2,
      wallNow: () => now,
    });
    await mkdir(join(directory, 'A'.repeat(22)));
    await writeFile(join(directory, 'A'.repeat(22), 'mix.opus'), 'Ogg');
    await mkdir(join(directory, 'not-a-recording'));
    await recordings.sweep();
    expect((await readdir(directory)).length).toBe(2);
    now += 3 * 3600 * 1000;
    conference.clock.stall(3 * 3600 * 1000);
    await recordings.sweep();
    expect(await readdir(directory)).toEqual(['not-a-recording']);
  });

  it('are as old as their last sound if the server ended without describing the end', async () => {
    const first = await conferenceThatRecords({ keepHours: 2 });
    const ann = await Talker.join(first.conference, 'Ann', low);
    ann.say({ type: 'record', on: true });
    await settle();
    speak(first.conference, [ann], 300);
    await written();
    const { id } = ann.recording;
    const root = join(first.directory, id);
    const threeHoursAgo = new Date(Date.now() - 3 * 3600 * 1000);
    // As a recording of three hours is: it was described when it began.
    await utimes(join(root, 'recording.json'), threeHoursAgo, threeHoursAgo);
    const { recordings } = await conferenceThatRecords({
      keepHours: 2,
      directory: first.directory,
    });
    await recordings.sweep();
    expect(await recordings.describe(id)).toMatchObject({ id, stoppedAt: null });
    await utimes(join(root, 'mix.opus'), threeHoursAgo, threeHoursAgo);
    await recordings.sweep();
    expect(await recordings.describe(id)).toBe(null);
  });

  it.each(['peaks.json', 'chapters.vtt', 'recording.json'])(
    'are described to their end, though %s could not be written once',
    async (name) => {
      const { conference, recordings, directory, warnings } = await conferenceThatRecords();
      const ann = await Talker.join(conference, 'Ann', low);
      ann.say({ type: 'record', on: true });
      await settle();
      const { id } = ann.recording;
      const root = join(directory, id);
      await written();
      // Where a directory stands no file can be written.
      await mkdir(join(root, `${name}.new`));
      // Five seconds after the beginning waveform and chapters are written, and the description
      // with the next track.
      speak(conference, [ann], 400);
      const bo = await Talker.join(conference, 'Bo', high);
      bo.say({ type: 'recordConsent', agreed: true });
      await vi.waitFor(() =>
        expect(warnings).toEqual([expect.stringContaining('recording could not be written')]),
      );
      await rm(join(root, `${name}.new`), { recursive: true });
      expect(ann.recording).toMatchObject({ on: false, code: 'recording-failed' });
      speak(conference, [ann], 200);
      await written(ann);
      const description = JSON.parse(await readFile(join(root, 'recording.json'), 'utf8'));
      expect(description.stoppedAt).not.toBe(null);
      expect(description.files[0].seconds).toBeGreaterThan(5);
      expect((await readFile(join(root, 'chapters.vtt'), 'utf8')).startsWith('WEBVTT')).toBe(true);
      expect(
        JSON.parse(await readFile(join(root, 'peaks.json'), 'utf8')).peaks.length,
      ).toBeGreaterThan(50);
      expect(await recordings.describe(id)).toMatchObject({ on: false });
    },
  );

  it('are not aged by a 25-hour clock leap, and are deleted after the requested time', async () => {
    const HOUR_MS = 3600 * 1000;
    let now = Date.now();
    const { conference, recordings, directory } = await conferenceThatRecords({
      keepHours: 24,
      wallNow: () => now,
    });
    const pass = (/** @type {number} */ hours) => {
      now += hours * HOUR_MS;
      conference.clock.stall(hours * HOUR_MS);
    };
    await mkdir(join(directory, 'A'.repeat(22)));
    now += 25 * HOUR_MS;
    await recordings.sweep();
    pass(23);
    await recordings.sweep();
    expect(await readdir(directory)).toEqual(['A'.repeat(22)]);
    pass(2);
    await recordings.sweep();
    expect(await readdir(directory)).toEqual([]);
  });

  it.each([
    '..',
    '.',
    '',
    'x',
    '../../../etc/passwd',
    'AAAAAAAAAAAAAAAAAAAAA/',
    'AAAAAAAAAAAAAAAAAAAAA.',
    '\0'.repeat(22),
  ])('have no id %j', async (id) => {
    const { recordings } = await conferenceThatRecords();
    expect(await recordings.describe(id)).toBe(null);
    expect(recordings.locate(id, 'mix.opus')).toBe(null);
    for (const file of ['..', '../mix.opus', 'recording.json', '.opus', 'a/b.opus', 'mix.opus\0']) {
      expect(recordings.locate('A'.repeat(22), file)).toBe(null);
    }
    expect(recordings.locate('A'.repeat(22), 'mix.opus')).not.toBe(null);
  });
});
