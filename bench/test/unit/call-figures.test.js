import { describe, expect, it } from 'vitest';
import { Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { StreamDecoder } from '../../../public/client/playout/stream-decoder.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { FrameState } from '../../../server/source/pcm-ring.js';
import { WireNotes } from '../../../testkit/participants/wire-notes.js';
import { seededRandom as random } from '../../../testkit/random.js';
import {
  lagsBetween,
  meanLags,
  pieceDelays,
  presentPercent,
  soundLags,
} from '../../../testkit/sound/sound-lag.js';
import {
  bestDelay,
  callFigures,
  delaysOf,
  receivedAt,
  receivedAudio,
} from '../../stats/call-figures.js';

const FRAME_MS = 20;

/**
 * Two talkers. A's frames are 'ok', 'late' (at the server, missed by all), 'lost' for good,
 * 'mended' by the next packet, or 'unplayed' (B concealed it).
 * @param {string[]} fates
 */
function notesOf(fates) {
  const endMs = (/** @type {number} */ frame) => (frame + 1) * FRAME_MS;
  const sent = fates.map((_, frame) => ({
    frame,
    sounding: frame > 0 ? [frame - 1, frame] : [frame],
    atMs: endMs(frame),
  }));
  const states = [];
  const arrivals = [];
  const [received, played] = [/** @type {any[]} */ ([]), /** @type {any[]} */ ([])];
  for (const [frame, fate] of fates.entries()) {
    const isLost = fate === 'lost' || fate === 'mended';
    if (!isLost)
      arrivals.push({ name: 'A', frame, atMs: endMs(frame) + (fate === 'late' ? 90 : 12) });
    const isMixed = fate !== 'late' && fate !== 'lost';
    states.push({ name: 'A', frame, state: isMixed ? FrameState.received : FrameState.concealed });
    received.push({ frame, sounding: [frame], atMs: endMs(frame) + 50 });
    if (fate !== 'unplayed') played.push({ frame, atMs: endMs(frame) + 60 });
  }
  const people = [
    { id: 'A', sent, received: [], played: [] },
    { id: 'B', sent: [], received, played },
  ];
  const server = {
    arrivals,
    states,
    due: fates.map((_, frame) => ({ frame, atMs: endMs(frame) + 40 })),
    originMs: 0,
  };
  return { people, server, frameMs: FRAME_MS, fromMs: 0, toMs: Infinity };
}

describe('what became of each frame of a call', () => {
  it('is all received when all is well, and all of it as late as it was', () => {
    const [a] = callFigures(notesOf(Array(50).fill('ok')));
    expect(a).toMatchObject({
      id: 'A',
      frames: 50,
      upPercent: 100,
      downPercent: 100,
      throughPercent: 100,
      leastMs: 12,
    });
    expect(a.latenessMs.every((ms) => ms === 12)).toBe(true);
    expect(a.soundMs.every((ms) => ms === 70)).toBe(true);
  });

  it('tells what was late or lost on the way up from what was made up by the listener', () => {
    const fates = Array(100).fill('ok');
    fates[10] = fates[20] = 'late';
    fates[30] = 'unplayed';
    const [a] = callFigures(notesOf(fates));
    expect(a.upPercent).toBe(98);
    expect(a.downPercent).toBe(99);
    expect(a.throughPercent).toBe(97);
  });

  it('counts a frame that a later packet repeated as received, and as late as that packet', () => {
    const fates = Array(100).fill('ok');
    fates[50] = 'mended';
    const [a] = callFigures(notesOf(fates));
    expect(a.upPercent).toBe(100);
    expect(a.latenessMs.at(-1)).toBe(32);
    expect(bestDelay([a], 99)).toBe(12);
    expect(bestDelay([a], 100)).toBe(32);
    expect(receivedAt([a], 31)).toBe(99);
  });

  it('has no delay that covers lost frames, which count against what any delay receives', () => {
    const fates = Array(100).fill('ok');
    fates[98] = fates[99] = 'lost';
    const [a] = callFigures(notesOf(fates));
    // Frame 98 would have been repeated by 99, which was lost too.
    expect(a.latenessMs.slice(-2)).toEqual([Infinity, Infinity]);
    expect(bestDelay([a], 98)).toBe(12);
    expect(bestDelay([a], 99)).toBe(Infinity);
    expect(receivedAt([a], 1e9)).toBe(98);
  });

  it('follows one who is heard later into the frames of the mix that hold what was said', () => {
    const notes = notesOf(Array(50).fill('ok'));
    const mixedLater = notes.server.states.map((state) => ({ ...state, mix: state.frame + 3 }));
    // The offset has just risen: the frame before is read again, and the mix has nothing of it.
    notes.server.states = [
      ...mixedLater,
      { name: 'A', frame: 20, state: FrameState.concealed, mix: 24 },
    ];
    const listener = notes.people[1];
    for (const note of [...listener.received, ...listener.played])
      Object.assign(note, { frame: note.frame + 3, sounding: [note.frame + 3] });
    const [a] = callFigures(notes);
    expect(a).toMatchObject({ upPercent: 100, downPercent: 100, throughPercent: 100 });
    expect(a.soundMs.every((ms) => ms === 70)).toBe(true);
  });

  it('counts frames of the time only, and those that were sent with sound', () => {
    const notes = notesOf(Array(100).fill('ok'));
    notes.people[0].sent[30].sounding = [29];
    const [a] = callFigures({ ...notes, fromMs: 20 * FRAME_MS, toMs: 40 * FRAME_MS });
    expect(a.frames).toBe(20);
  });

  it('knows D over time from when frames were due', () => {
    expect(delaysOf([{ frame: 4, atMs: 1140 }], 1000, FRAME_MS)).toEqual([
      { atMs: 1140, delayMs: 40 },
    ]);
  });
});

/**
 * @param {number} frame
 * @param {Uint8Array[]} payloads oldest first; the last is the packet's own
 */
function packetOf(frame, payloads) {
  const packet = new Packet();
  const bytes = new Uint8Array(200);
  packet.frame = frame;
  packet.redundancy = payloads.length - 1;
  payloads.forEach((payload, i) => (packet.payloadBytes[payloads.length - 1 - i] = payload.length));
  let at = writeAudioHeader(bytes, packet);
  for (const payload of payloads) {
    bytes.set(payload, at);
    at += payload.length;
  }
  return bytes.subarray(0, at);
}

describe('the notes of a wire', () => {
  const [one, two, none] = [Uint8Array.of(1, 1, 1), Uint8Array.of(2, 2), new Uint8Array(0)];

  it('say which frames a packet has payloads for', () => {
    let ms = 0;
    const wire = new WireNotes(() => ms);
    wire.begin();
    wire.sent(packetOf(7, [one]));
    ms = 5;
    wire.received(packetOf(9, [one, two]), 4);
    wire.received(packetOf(10, [none]), 5);
    wire.received(Uint8Array.of(1, 2), 6);
    expect(wire.take()).toEqual({
      sent: [{ frame: 7, stream: 0, sounding: [7], atMs: 0 }],
      received: [
        { frame: 9, stream: 0, sounding: [8, 9], atMs: 4 },
        { frame: 10, stream: 0, sounding: [], atMs: 5 },
      ],
      played: [],
    });
  });

  it('say which frames were played, whatever their payloads, and each once', async () => {
    let ms = 0;
    const wire = new WireNotes(() => ms);
    const format = createAudioFormat();
    const codec = wire.observe(await loadCodec());
    const sound = new StreamDecoder(format, [codec.createDecoder(format)]);
    const out = new Float32Array(format.frameValues);
    const play = (/** @type {number} */ frame, /** @type {Uint8Array} */ payload) => {
      ms = 20 * frame;
      sound.play(frame, 0, payload, 0, payload.length, out);
    };
    play(1, one);
    wire.begin();
    for (const frame of [2, 3, 5]) play(frame, one);
    play(6, none);
    play(7, two);
    sound.conceal(out);
    play(7, two);
    const { played } = wire.take();
    play(8, one);
    sound.close();
    expect(played).toEqual([2, 3, 5, 7].map((frame) => ({ frame, atMs: 20 * frame })));
  });

  it('hold nothing before they begin and after they are taken', () => {
    const wire = new WireNotes(() => 0);
    wire.sent(packetOf(1, [one]));
    wire.begin();
    wire.take();
    wire.received(packetOf(1, [one]), 0);
    wire.begin();
    expect(wire.take()).toEqual({ sent: [], received: [], played: [] });
  });
});

describe('received audio from write clocks', () => {
  /**
   * A's packets come latenessA after each frame's end, and B's likewise.
   * @param {number} a
   * @param {number} b
   */
  const steady = (a, b) =>
    Array.from({ length: 40 }, (_, frame) => [
      { name: 'A', frame, atMs: (frame + 1) * 80 + a },
      { name: 'B', frame, atMs: (frame + 1) * 80 + b },
    ])
      .flat()
      .sort((one, other) => one.atMs - other.atMs);

  const share = (
    /** @type {any[]} */ arrivals,
    /** @type {string} */ listener,
    /** @type {number} */ delayMs,
  ) =>
    receivedAudio(arrivals, {
      listener,
      speaker: listener === 'A' ? 'B' : 'A',
      from: 2,
      to: 30,
      delayFrames: delayMs / 80,
    });

  it('is 100 % for the later participant and 0 % for the earlier one, without a delay', () => {
    const arrivals = steady(10, 30);
    expect(share(arrivals, 'A', 0)).toBe(0);
    expect(share(arrivals, 'B', 0)).toBe(100);
  });

  it('rises in step with the delay, up to a frame of it', () => {
    const arrivals = steady(10, 30);
    for (const [delayMs, percent] of [
      [8, 10],
      [20, 25],
      [40, 50],
      [72, 90],
      [80, 100],
      [100, 100],
      [200, 100],
    ]) {
      expect(share(arrivals, 'A', delayMs)).toBeCloseTo(percent, 9);
      expect(share(arrivals, 'B', delayMs)).toBeCloseTo(100, 9);
    }
  });

  it('takes as much longer as the other is later, in whole frames', () => {
    const arrivals = steady(0, 170);
    expect(share(arrivals, 'A', 160)).toBeCloseTo(0, 9);
    expect(share(arrivals, 'A', 200)).toBeCloseTo(50, 9);
    expect(share(arrivals, 'A', 240)).toBeCloseTo(100, 9);
  });

  it('agrees with the overlap of written and read audio, sample by sample, in any order', () => {
    const next = random(3);
    const size = 8;
    const arrivals = ['A', 'B']
      .flatMap((name) =>
        Array.from({ length: 30 }, (_, frame) => ({ name, frame, atMs: frame + 4 * next() })),
      )
      .sort((one, other) => one.atMs - other.atMs);
    for (let delay = 0; delay <= 40; delay++) {
      let heard = 0;
      arrivals.forEach((write, i) => {
        if (write.name !== 'B' || write.frame < 5 || write.frame >= 20) return;
        for (const read of arrivals.slice(i + 1)) {
          if (read.name !== 'A') continue;
          const start = read.frame * size - delay;
          const overlap =
            Math.min(start + size, (write.frame + 1) * size) - Math.max(start, write.frame * size);
          heard += Math.max(0, overlap);
        }
      });
      const options = { listener: 'A', speaker: 'B', from: 5, to: 20, delayFrames: delay / size };
      expect(receivedAudio(arrivals, options)).toBeCloseTo((100 * heard) / (15 * size), 9);
    }
  });
});

describe('the lag of sound', () => {
  it.each([0, 37.25, 412, 1300])('is found to a quarter of a millisecond: %d ms', (ms) => {
    const sampleRate = 8000;
    const next = random(9);
    // Noise whose loudness changes as speech does, with pauses.
    const speech = Float32Array.from(
      { length: 3 * sampleRate },
      (_, i) => Math.max(0, Math.sin((2 * Math.PI * 1.7 * i) / sampleRate)) * (next() - 0.5),
    );
    const delay = (ms * sampleRate) / 1000;
    const recording = Float32Array.from({ length: 6 * sampleRate }, (_, i) =>
      i < delay ? 0 : 0.5 * speech[(i - delay) % speech.length] + 0.01 * (next() - 0.5),
    );
    const lags = soundLags(recording, speech, { sampleRate });
    expect(lags.length).toBeGreaterThan(5);
    for (const { lagMs } of lags) expect(Math.abs(lagMs - ms)).toBeLessThanOrEqual(0.25);
  });

  it('is not made up where nothing was heard', () => {
    const next = random(10);
    const speech = Float32Array.from({ length: 8000 }, () => next() - 0.5);
    const noise = Float32Array.from({ length: 40_000 }, () => next() - 0.5);
    expect(soundLags(noise, speech, { sampleRate: 8000 })).toEqual([]);
    expect(soundLags(new Float32Array(40_000), speech, { sampleRate: 8000 })).toEqual([]);
  });
});

it('finds the pieces of a voice up to the longest delay that is asked for', () => {
  const sampleRate = 8000;
  const next = random(12);
  const said = Float32Array.from({ length: 4 * sampleRate }, () => next() - 0.5);
  const heard = new Float32Array(6 * sampleRate);
  heard.set(said, 1.2 * sampleRate);
  const times = { sampleRate, fromMs: 0, toMs: 2000 };
  const found = pieceDelays(said, heard, { ...times, mostMs: 1500 });
  expect(found.map(({ ms }) => ms)).toEqual(Array.from({ length: 19 }, (_, i) => 100 * i));
  for (const { delayMs } of found) expect(delayMs).toBeCloseTo(1200, 6);
  expect(pieceDelays(said, heard, { ...times, mostMs: 900 })).toEqual([]);
});

describe('how much later the same sound comes out elsewhere', () => {
  const sampleRate = 8000;
  /** Noise that is like speech in one thing: it pauses. @param {number} seconds */
  const noise = (seconds) => {
    const next = random(11);
    return Float32Array.from({ length: seconds * sampleRate }, (_, i) =>
      (i / sampleRate) % 4 < 3 ? next() - 0.5 : 0,
    );
  };

  it('is what it was, whenever the two began to record', () => {
    const sound = noise(12);
    for (const [ms, startMs] of [
      [0, 0],
      [47.5, 300],
      [180, -700.25],
      [499, 1000],
    ]) {
      const earlier = { samples: sound, startMs: 5000, sampleRate };
      // Sound at x in one recording is at x + ms in the other, which began at another time.
      const skipped = Math.round(((startMs - ms) * sampleRate) / 1000);
      const samples = Float32Array.from(
        { length: 8 * sampleRate },
        (_, i) => 0.7 * (sound[i + skipped] ?? 0),
      );
      const lags = lagsBetween(
        { samples, startMs: 5000 + (skipped * 1000) / sampleRate + ms, sampleRate },
        earlier,
      );
      expect(lags.length, `${ms} ms`).toBeGreaterThan(6);
      for (const { lagMs } of lags) expect(Math.abs(lagMs - ms), `${ms} ms`).toBeLessThan(0.13);
    }
  });

  it('is below nothing where the other is first, if that is looked for', () => {
    const sound = noise(12);
    const earlier = { samples: sound, startMs: 5000, sampleRate };
    const later = {
      samples: sound.slice(4 * sampleRate, 10 * sampleRate),
      startMs: 9000 - 60,
      sampleRate,
    };
    expect(lagsBetween(later, earlier)).toEqual([]);
    const lags = lagsBetween(later, earlier, { leastMs: -200 }).map(({ lagMs }) => lagMs);
    expect(lags.length).toBeGreaterThan(6);
    for (const lagMs of lags) expect(lagMs).toBeCloseTo(-60);
    const loops = [earlier, { ...earlier, startMs: 4900 }];
    expect(meanLags(later, loops)).toEqual([]);
    const means = meanLags(later, loops, { leastMs: -200 });
    expect(means.length).toBeGreaterThan(6);
    for (const lagMs of means) expect(lagMs).toBeCloseTo(-10);
  });

  it('is not told of what is quiet, of other sound, or of what came out before it counts', () => {
    const earlier = { samples: noise(6), startMs: 0, sampleRate };
    const next = random(12);
    const other = {
      samples: Float32Array.from({ length: 6 * sampleRate }, () => next() - 0.5),
      startMs: 0,
      sampleRate,
    };
    expect(lagsBetween(other, earlier)).toEqual([]);
    expect(lagsBetween({ ...earlier, samples: new Float32Array(6 * sampleRate) }, earlier)).toEqual(
      [],
    );
    expect(lagsBetween(earlier, earlier, { fromMs: 6000 })).toEqual([]);
    expect(() => lagsBetween({ ...earlier, sampleRate: 48000 }, earlier)).toThrow(RangeError);
  });

  it('is present but for what is missing, wherever it wandered', () => {
    const said = { samples: noise(8), startMs: 1000, sampleRate };
    const samples = new Float32Array(9 * sampleRate);
    const wander = (/** @type {number} */ i) =>
      i < 5 * sampleRate ? 0 : Math.round(0.06 * sampleRate);
    for (let i = 0; i < said.samples.length; i++)
      samples[Math.round(0.25 * sampleRate) + i + wander(i)] = 0.4 * said.samples[i];
    // Half a second of the five that aren't quiet.
    samples.fill(0, Math.round(2.25 * sampleRate), Math.round(2.75 * sampleRate));
    const heard = { samples, startMs: 1100, sampleRate };
    const options = { fromMs: 2000, toMs: 8000, lagMs: 370 };
    expect(presentPercent(heard, said, options)).toBeCloseTo(90, 0);
    expect(presentPercent({ ...heard, samples: samples.fill(0) }, said, options)).toBe(0);
    expect(
      presentPercent(heard, { ...said, samples: new Float32Array(said.samples.length) }, options),
    ).toBeNaN();
  });
});
