import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';
import { CONCEALED } from '../../fakes/pcm-codec.js';

/** @import { Person } from '../../fakes/conference.js' */

/** @param {Conference} conference */
const roomOf = (conference) =>
  /** @type {import('../../../server/room/room.js').Room} */ (conference.rooms.get('lab'));

/**
 * A value of its own for each of the next frames, that the test codec keeps.
 * @param {number} frame
 */
const valueOf = (frame) => 0.2 + (frame % 500) / 1000;

/**
 * Somebody speaks, and each frame arrives so long after its end.
 * @param {Conference} conference
 * @param {Person} person
 * @param {{ from: number, to: number, latenessMs: (frame: number) => number }} span
 */
async function speak(conference, person, { from, to, latenessMs }) {
  const { clock, format } = conference;
  for (let frame = from; frame < to; frame++) {
    const bytes = await person.packet(frame, valueOf(frame));
    const wait = (frame + 1) * format.frameMs + latenessMs(frame) - clock.now();
    clock.setTimeout(() => person.session.handler?.packet(bytes, clock.now()), wait);
    const end = (frame + 1) * format.frameMs;
    if (end > clock.now()) clock.advance(end - clock.now());
  }
}

/**
 * @param {Person} person the frames of the packets that were sent to it, in the order of their
 *   sending
 */
function framesOf(person) {
  return person.session.packets.map((bytes) => new DataView(bytes.buffer).getUint32(5));
}

/** @param {number[]} frames */
const inOrder = (frames) => frames.map((_, i) => frames[0] + i);

describe('a room with auto', () => {
  it('mixes every frame exactly once and in order while D rises and falls', async () => {
    // Nobody falls behind where everybody is on one clock.
    const conference = new Conference({
      serverDelayMs: 'auto',
      idleTimeoutMs: 1e9,
      stragglerMs: 0,
    });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const latenessMs = (/** @type {number} */ frame) => (frame >= 500 && frame < 1000 ? 90 : 10);
    await speak(conference, ann, { from: 0, to: 3000, latenessMs });
    const frames = framesOf(bob);
    expect(frames).toEqual(inOrder(frames));
    const heard = await bob.heard();
    const wrong = [];
    for (let frame = 1; frame < 2990; frame++) {
      const pcm = heard.get(frame);
      const value = Math.round(valueOf(frame) * 32767) / 32767;
      if (!pcm || pcm.some((sample) => Math.abs(sample - value) > 1e-4)) wrong.push(frame);
    }
    // Frames that were late until D had risen are concealed, the third and fourth in a row faded;
    // all others are there, to the sample.
    expect(wrong.length).toBeLessThanOrEqual(16);
    expect(wrong.every((frame) => frame >= 500 && frame < 520)).toBe(true);
    const begins = wrong.flatMap((frame) => heard.get(frame)?.[0] ?? []);
    expect(
      begins.filter(
        (value) => ![1, 0.5, 0].some((gain) => Math.abs(value - gain * CONCEALED) < 5e-4),
      ),
    ).toEqual([]);
    expect(roomOf(conference).describe().delay).toMatchObject({
      mode: 'auto',
      targetPercent: 99.5,
      wantedMs: 10,
    });
    expect(roomOf(conference).describe().serverDelayMs).toBe(10);
    expect(ann.stats()).toMatchObject({ neededDelayMs: 10, delayWaits: true, latenessP50Ms: 10 });
  });

  it('mixes at the moment that D says, to the sample', async () => {
    const conference = new Conference({
      serverDelayMs: 'auto',
      idleTimeoutMs: 1e9,
      stragglerMs: 0,
    });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    await speak(conference, ann, { from: 0, to: 1500, latenessMs: () => 26.5 });
    expect(roomOf(conference).describe().serverDelayMs).toBe(27);
    const { clock } = conference;
    const frame = Math.max(...framesOf(bob)) + 1;
    clock.advance((frame + 1) * 20 + 27 - clock.now() - 0.001);
    expect(Math.max(...framesOf(bob))).toBe(frame - 1);
    clock.advance(0.001);
    expect(Math.max(...framesOf(bob))).toBe(frame);
  });

  it('tells of D once a second at most, when it has changed by a millisecond', async () => {
    // One who is heard alone and needs more than 25 ms would be a straggler.
    const conference = new Conference({
      serverDelayMs: 'auto',
      idleTimeoutMs: 1e9,
      stragglerMs: 0,
    });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const own = await conference.join('Own', { delivery: 'reply', serverDelayMs: 100 });
    await speak(conference, ann, {
      from: 0,
      to: 500,
      latenessMs: (frame) => (frame < 250 ? 30 : 80.5),
    });
    const told = bob.session.told('delay');
    expect(told.map(({ serverDelayMs }) => serverDelayMs)).toEqual([30, 81]);
    expect(ann.session.told('delay')).toEqual(told);
    expect(own.session.told('delay')).toEqual([]);
    expect(own.session.told('stats').at(-1).serverDelayMs).toBe(100);
    expect(bob.session.told('stats').at(-1).serverDelayMs).toBe(81);
    const late = await conference.join('Late');
    expect(late.session.told('welcome')[0].serverDelayMs).toBe(81);
  });

  it('does not raise D for a newcomer’s first half second or after a server stall', async () => {
    const conference = new Conference({ serverDelayMs: 'auto', idleTimeoutMs: 1e9 });
    const ann = await conference.join('Ann');
    const { clock } = conference;
    await speak(conference, ann, { from: 0, to: 24, latenessMs: () => 200 });
    await speak(conference, ann, { from: 40, to: 300, latenessMs: () => 6 });
    expect(ann.stats()?.neededDelayMs).toBe(6);
    // Ten frames' packets wait in the socket in that time; timers come first.
    clock.stall(200);
    clock.advance(0);
    for (let frame = 300; frame < 310; frame++) await ann.speak(frame, 0.1);
    await speak(conference, ann, { from: 310, to: 400, latenessMs: () => 6 });
    expect(ann.stats()?.neededDelayMs).toBeLessThanOrEqual(7);
  });

  it('is not held back by one whose clock is wrong', async () => {
    const conference = new Conference({ serverDelayMs: 'auto', idleTimeoutMs: 1e9 });
    const [ann, liar] = [await conference.join('Ann'), await conference.join('Liar')];
    liar.session.stats = () =>
      /** @type {any} */ ({ rttMs: 30, lostPackets: 0, droppedOut: 0, droppedIn: 0 });
    let most = 0;
    for (let frame = 0; frame < 500; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
      if (frame >= 15) await liar.speak(frame - 15, 0.1);
      most = Math.max(most, roomOf(conference).describe().serverDelayMs);
    }
    expect(most).toBe(20);
    expect(liar.stats()).toMatchObject({ delayWaits: false, roundTripMs: 30, latenessP50Ms: 300 });
    expect(ann.stats()).toMatchObject({
      delayWaits: true,
      receivedPercent: 100,
      receivedPercent10s: 100,
    });
  });

  it('waits for what a later packet repeats', async () => {
    const conference = new Conference({
      serverDelayMs: 'auto',
      stragglerMs: 0,
      idleTimeoutMs: 1e9,
    });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const { clock } = conference;
    for (let frame = 0; frame < 1000; frame++) {
      clock.advance((frame + 1) * 20 + 5.5 - clock.now());
      if (frame % 10 === 8) continue;
      if (frame % 10 !== 9) {
        ann.session.handler?.packet(await ann.packet(frame, valueOf(frame)), clock.now());
        continue;
      }
      // The packet of the frame before was lost: its number is missing.
      const before = (await ann.packet(frame - 1, valueOf(frame - 1))).subarray(9);
      const own = await ann.packet(frame, valueOf(frame));
      const repeat = new Uint8Array([
        own[0],
        1,
        ...own.subarray(2, 9),
        before.length,
        ...before,
        ...own.subarray(9),
      ]);
      ann.session.handler?.packet(repeat, clock.now());
    }
    expect(roomOf(conference).describe().serverDelayMs).toBe(26);
    const heard = await bob.heard();
    for (let frame = 900; frame < 990; frame++)
      expect(heard.get(frame)?.[0]).toBeCloseTo(valueOf(frame), 3);
    expect(ann.stats()?.recovered).toBeGreaterThan(80);
  });

  it('replies in whole frames that cover D, and changes the delay without a jump', async () => {
    const conference = new Conference({ serverDelayMs: 'auto', delivery: 'reply', stragglerMs: 0 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const { clock } = conference;
    const answers = [];
    for (let frame = 0; frame < 2500; frame++) {
      clock.advance((frame + 1) * 20 + 1 - clock.now());
      await bob.speak(frame, null);
      const at = frame >= 500 && frame < 600 ? frame - 4 : frame - 1;
      // After the change two came at once; none is doubled.
      if (frame >= 600 && frame < 603) await ann.speak(frame - 4, 0.3);
      if (at >= 0) await ann.speak(at, 0.3);
      answers.push(roomOf(conference).describe().delay.replyDelayMs);
    }
    expect(answers[0]).toBe(20);
    expect(answers[490]).toBe(40);
    expect(answers[590]).toBe(100);
    expect(answers.at(-1)).toBe(40);
    const heard = await bob.heard();
    for (const frame of [400, 590, 2400])
      expect(heard.get(frame)?.every((sample) => Math.abs(sample - 0.3) < 1e-3)).toBe(true);
    const last = bob.session.told('delay').at(-1);
    expect(last.serverDelayMs).toBe(40);
  });
});

describe('a running room', () => {
  it('accepts a fixed delay, skips no frame on the way there, and mixes none early', async () => {
    const conference = new Conference({ serverDelayMs: 'auto', idleTimeoutMs: 1e9 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const { clock } = conference;
    await speak(conference, ann, { from: 0, to: 100, latenessMs: () => 5 });
    const spoken = [];
    for (const wanted of [150, 12.5, 0, 60]) {
      roomOf(conference).setDelay(wanted);
      const from = Math.floor(clock.now() / 20) + 1;
      await speak(conference, ann, { from, to: from + 200, latenessMs: () => -1 });
      for (let at = from; at < from + 200; at++) spoken.push(at);
      expect(roomOf(conference).describe()).toMatchObject({
        serverDelayMs: wanted,
        delay: { mode: 'fixed' },
      });
      const frame = Math.max(...framesOf(bob)) + 1;
      const samples = Math.round(wanted * 48) / 48;
      clock.advance((frame + 1) * 20 + samples - clock.now() - 0.001);
      expect(Math.max(...framesOf(bob))).toBe(frame - 1);
      // Timers have whole milliseconds.
      clock.advance(1);
      expect(Math.max(...framesOf(bob))).toBe(frame);
    }
    const frames = framesOf(bob);
    expect(frames).toEqual(inOrder(frames));
    const heard = await bob.heard();
    const mixed = spoken.filter((frame) => frame <= frames[frames.length - 1]);
    expect(mixed.length).toBeGreaterThan(790);
    for (const frame of mixed) expect(heard.get(frame)?.[0]).toBeCloseTo(valueOf(frame), 3);
    expect(bob.session.told('delay').at(-1).serverDelayMs).toBe(60);
  });

  it("leaves a listener's own delay as it is", async () => {
    const conference = new Conference();
    await conference.join('Ann');
    const own = await conference.join('Own', { delivery: 'reply', serverDelayMs: 100 });
    roomOf(conference).setDelay(300);
    conference.pass(200);
    expect(own.session.told('delay')).toEqual([]);
    own.session.handler?.control({ type: 'delay', serverDelayMs: 40 });
    expect(own.session.told('delayed')[0]).toMatchObject({
      serverDelayMs: 40,
      before: { serverDelayMs: 100 },
    });
  });
});

describe('a participant’s statistics', () => {
  it('has lateness, its histogram, and received audio of the last ten seconds', async () => {
    const conference = new Conference({ serverDelayMs: 60, idleTimeoutMs: 1e9 });
    const [ann] = [await conference.join('Ann'), await conference.join('Bob')];
    await speak(conference, ann, {
      from: 0,
      to: 500,
      latenessMs: (frame) => (frame % 2 ? 3 : 100),
    });
    await speak(conference, ann, { from: 500, to: 1200, latenessMs: () => 3 });
    const stats = ann.session.told('stats').at(-1);
    expect(stats.receivedPercent10s).toBe(100);
    expect(stats.receivedPercent).toBeLessThan(85);
    expect(stats).toMatchObject({
      serverDelayMs: 60,
      roundTripMs: null,
      early: 0,
      latenessP50Ms: 3,
      latenessP99Ms: 100,
    });
    expect(stats.latenessBins.length).toBe(14);
    expect(stats.latenessBins[1]).toBeGreaterThan(600);
    expect(stats.latenessBins[9]).toBeGreaterThan(100);
    const { mixing } = roomOf(conference).describe();
    expect(mixing).toMatchObject({ ticks: 500, latenessP50Ms: 0, latenessP99Ms: 0 });
  });
});
