import { describe, expect, it } from 'vitest';
import { bestDelay, callFigures, delaysOf, receivedAt } from '../../stats/call-figures.js';
import { WireNotes } from '../../../testkit/participants/wire-notes.js';
import { Packet, writeAudioHeader } from '../../../public/shared/wire/packet.js';
import { FrameState } from '../../../server/source/pcm-ring.js';

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

  it('say which frames a packet has payloads for, and which of them were played', () => {
    let ms = 0;
    const wire = new WireNotes(() => ms);
    wire.begin();
    wire.sent(packetOf(7, [one]));
    ms = 5;
    wire.received(packetOf(9, [one, two]), 4);
    wire.received(packetOf(10, [none]), 5);
    wire.decoded(Uint8Array.of(0, 2, 2, 0), 1, 2);
    wire.decoded(Uint8Array.of(9, 9), 0, 2);
    wire.received(Uint8Array.of(1, 2), 6);
    expect(wire.take()).toEqual({
      sent: [{ frame: 7, stream: 0, sounding: [7], atMs: 0 }],
      received: [
        { frame: 9, stream: 0, sounding: [8, 9], atMs: 4 },
        { frame: 10, stream: 0, sounding: [], atMs: 5 },
      ],
      played: [{ frame: 9, atMs: 5 }],
    });
  });

  it('take equal payloads in the order in which they came, and each frame once', () => {
    const wire = new WireNotes(() => 0);
    wire.begin();
    wire.received(packetOf(1, [one]), 0);
    wire.received(packetOf(2, [one, one]), 0);
    for (let i = 0; i < 3; i++) wire.decoded(one, 0, 3);
    expect(wire.take().played.map(({ frame }) => frame)).toEqual([1, 2]);
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
