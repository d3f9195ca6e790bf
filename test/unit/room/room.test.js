import { describe, expect, it } from 'vitest';
import { mixMath } from '../../../server/codec/mix-math.js';
import { CONCEALED, PcmCodec } from '../../fakes/pcm-codec.js';
import { Conference, settle } from '../../fakes/conference.js';

/**
 * The values of a frame that is one constant, or several of them in order.
 * @param {Float32Array | null | undefined} pcm
 */
function steps(pcm) {
  if (!pcm) return pcm;
  const found = /** @type {{ value: number, count: number }[]} */ ([]);
  for (const sample of pcm) {
    const value = Math.round(sample * 1000) / 1000;
    if (found.at(-1)?.value === value) found[found.length - 1].count += 1;
    else found.push({ value, count: 1 });
  }
  return found;
}

describe('a room that delivers on its tick', () => {
  it('sends each the others and never themselves', async () => {
    const conference = new Conference();
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
      await bob.speak(frame, 0.2);
    }
    conference.pass(4);
    const frames = await Promise.all([ann, bob, cid].map((person) => person.heard()));
    for (let frame = 0; frame < 20; frame++) {
      expect(steps(frames[0].get(frame))).toEqual([{ value: 0.2, count: 960 }]);
      expect(steps(frames[1].get(frame))).toEqual([{ value: 0.1, count: 960 }]);
      expect(steps(frames[2].get(frame))).toEqual([{ value: 0.3, count: 960 }]);
    }
  });

  it.each([0, 7, 20, 60, 135])(
    'mixes a frame when the clock has passed its end by D = %i ms',
    async (serverDelayMs) => {
      const conference = new Conference({ serverDelayMs });
      const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
      conference.pass(10);
      await ann.speak(10, 0.1);
      const due = 11 * 20 + serverDelayMs;
      conference.clock.advance(due - conference.clock.now() - 0.001);
      expect((await bob.heard()).has(10)).toBe(false);
      conference.clock.advance(0.001);
      expect(steps((await bob.heard()).get(10))).toEqual([{ value: 0.1, count: 960 }]);
    },
  );

  it('lets a packet that comes within D be heard, and conceals one that comes later', async () => {
    const conference = new Conference({ serverDelayMs: 40 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(5);
    await ann.speak(3, 0.1);
    await ann.speak(4, 0.2);
    conference.clock.advance(39);
    await ann.speak(5, 0.3);
    conference.clock.advance(41.5);
    await ann.speak(6, 0.4);
    conference.pass(5);
    const heard = await bob.heard();
    expect(steps(heard.get(4))?.[0].value).toBe(0.2);
    expect(steps(heard.get(5))?.[0].value).toBe(0.3);
    expect(steps(heard.get(6))?.[0].value).toBe(CONCEALED);
    expect(ann.stats()).toMatchObject({ received: 3, late: 1, lost: 0, concealed: 5 });
  });

  it('reads what has come before it mixes', async () => {
    /** @type {(() => void)[]} */
    const waiting = [];
    const conference = new Conference({ serverDelayMs: 0 });
    conference.services.ticks.pollWith(() => waiting.shift()?.());
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let frame = 0; frame < 3; frame++) {
      const packet = await ann.packet(frame, 0.1);
      waiting.push(() => ann.session.handler?.packet(packet, conference.clock.now()));
    }
    conference.pass(4);
    const heard = await bob.heard();
    for (let frame = 0; frame < 3; frame++)
      expect(steps(heard.get(frame))).toEqual([{ value: 0.1, count: 960 }]);
    expect(ann.stats()).toMatchObject({ received: 3, late: 0, lost: 0 });
  });

  it('encodes once for all who are silent: they get the same bytes', async () => {
    const conference = new Conference();
    const people = [];
    for (const name of ['Ann', 'Bob', 'Cid', 'Dot']) people.push(await conference.join(name));
    conference.pass(1);
    await people[0].speak(0, 0.1);
    conference.pass(5);
    const [ann, bob, cid, dot] = people.map((person) => person.session.packets[0]);
    expect(cid).toEqual(bob);
    expect(dot).toEqual(bob);
    expect(ann).not.toEqual(bob);
  });

  it.each([
    ['three speakers, of whom each is a third of the mix', 3, [false, true, false]],
    ['four, whose own mixes are alike', 4, [true, false]],
  ])('shares the analysis of sound that is alike: %s', async (_, count, expected) => {
    const codec = new PcmCodec();
    /** @type {boolean[]} */
    const shared = [];
    const shareAnalysis = (/** @type {boolean} */ isAlike) => void shared.push(isAlike);
    const conference = new Conference({
      codec: Object.assign(codec, { math: { ...mixMath, shareAnalysis } }),
    });
    const people = [];
    for (let i = 0; i < count; i++) people.push(await conference.join(`P${i}`));
    conference.pass(1);
    for (const person of people) await person.speak(0, 0.1);
    shared.length = 0;
    conference.pass(5);
    expect(shared.slice(0, expected.length)).toEqual(expected);
    expect(shared.at(-1)).toBe(false);
  });

  it('begins own mixes with that of the softest speaker, nearest to all others', async () => {
    /** @type {number[]} */
    const order = [];
    class MixLimiter {
      #limiter = new mixMath.MixLimiter(48_000, 1);
      /** @param {Float32Array} pcm */
      limit(pcm) {
        return this.#limiter.limit(pcm);
      }

      /** @param {Float32Array} out @param {Float32Array} full @param {Float32Array} own */
      limitLess(out, full, own) {
        order.push(Math.round(100 * own[0]));
        return this.#limiter.limitLess(out, full, own);
      }
    }
    const conference = new Conference({
      codec: Object.assign(new PcmCodec(), { math: { ...mixMath, MixLimiter } }),
    });
    const people = [];
    for (let i = 0; i < 4; i++) people.push(await conference.join(`P${i}`));
    conference.pass(1);
    for (const [i, person] of people.entries()) await person.speak(0, [0.2, 0.05, 0.1, 0.2][i]);
    conference.pass(5);
    expect(order.slice(0, 4)).toEqual([5, 10, 20, 20]);
  });

  it('sends silence when nobody speaks, nine bytes of it', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    conference.pass(10);
    expect(ann.session.packets.length).toBeGreaterThan(5);
    expect(new Set(ann.session.packets.map((bytes) => bytes.length))).toEqual(new Set([9]));
  });

  it('lets everybody hear themselves with the echo option', async () => {
    const conference = new Conference({ echo: true });
    const ann = await conference.join('Ann');
    conference.pass(1);
    await ann.speak(0, 0.1);
    conference.pass(5);
    expect(steps((await ann.heard()).get(0))).toEqual([{ value: 0.1, count: 960 }]);
  });

  it('limits what would clip', async () => {
    const conference = new Conference({ maxParticipants: 30 });
    const people = [];
    for (let i = 0; i < 21; i++) people.push(await conference.join(`P${i}`));
    conference.pass(1);
    for (const person of people.slice(1)) await person.speak(0, 0.4);
    conference.pass(5);
    const pcm = (await people[0].heard()).get(0);
    expect(Math.max(...(pcm ?? []))).toBeLessThanOrEqual(0.951);
    expect(Math.min(...(pcm ?? []))).toBeGreaterThan(0.9);
  });

  it('goes on after a stall of the event loop, and counts what it skipped', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(10);
    conference.clock.stall(5000);
    conference.pass(10);
    const frame = Math.floor(conference.sampleClock.now() / 960) - 1;
    await ann.speak(frame, 0.1);
    conference.pass(5);
    expect(steps((await bob.heard()).get(frame))).toEqual([{ value: 0.1, count: 960 }]);
    expect(conference.rooms.get('lab')?.describe().skippedFrames).toBeGreaterThan(200);
    expect(bob.session.packets.length).toBeLessThan(40);
  });

  it('starts afresh with someone who was away for a while', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(1);
    await ann.speak(0, 0.1);
    conference.pass(300);
    await ann.speak(300, 0.2);
    conference.pass(5);
    const heard = await bob.heard();
    expect(steps(heard.get(300))).toEqual([{ value: 0.2, count: 960 }]);
    expect([...heard.values()].filter((pcm) => pcm).length).toBeLessThanOrEqual(10);
  });
});

describe('a speaker who leaves silence out', () => {
  /**
   * Speaks, is silent as long as it says, and speaks again; says which packets are lost.
   * @param {(frame: number) => boolean} [isLost]
   */
  async function speakInTurns(isLost = () => false) {
    const conference = new Conference({ silenceSuppression: true });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const sends = (/** @type {number} */ frame) =>
      frame < 20 || frame >= 60 || frame < 22 || (frame - 21) % 10 === 0;
    for (let frame = 0; frame < 80; frame++) {
      conference.pass(1);
      if (!sends(frame)) continue;
      const value = frame < 20 || frame >= 60 ? 0.3 : null;
      await (isLost(frame) ? ann.lose(frame, value) : ann.speak(frame, value));
    }
    conference.pass(3);
    return { heard: await bob.heard(), stats: ann.stats() };
  }

  it('is heard whole, and nothing of it is lost, late or made up', async () => {
    const { heard, stats } = await speakInTurns();
    for (let frame = 0; frame < 80; frame++) {
      const value = frame < 20 || frame >= 60 ? [{ value: 0.3, count: 960 }] : null;
      expect(steps(heard.get(frame) ?? null), `frame ${frame}`).toEqual(value);
    }
    expect(stats).toMatchObject({
      received: 45,
      lost: 0,
      late: 0,
      concealed: 0,
      receivedPercent: 100,
      lostPercent5s: 0,
    });
  });

  it('whose last packet before silence is lost fades out, and is silent', async () => {
    const { heard, stats } = await speakInTurns((frame) => frame >= 20 && frame < 35);
    expect(steps(heard.get(20))).toEqual([{ value: CONCEALED, count: 960 }]);
    expect(steps(heard.get(21))).toEqual([{ value: CONCEALED, count: 960 }]);
    const [fading, last] = [heard.get(22), heard.get(23)].map(
      (pcm) => /** @type {Float32Array} */ (pcm),
    );
    expect(fading[0]).toBeCloseTo(CONCEALED, 3);
    expect(fading[950]).toBeLessThan(CONCEALED * 0.7);
    expect(last[950]).toBeLessThan(0.002);
    for (let frame = 24; frame < 60; frame++)
      expect(heard.get(frame) ?? null, `frame ${frame}`).toBeNull();
    expect(steps(heard.get(60))).toEqual([{ value: 0.3, count: 960 }]);
    expect(stats).toMatchObject({ lost: 3, concealed: 4 });
  });

  it('is heard from the next packet if the first is lost, with nothing concealed', async () => {
    const { heard, stats } = await speakInTurns((frame) => frame === 60);
    expect(heard.get(60) ?? null).toBeNull();
    expect(steps(heard.get(61))).toEqual([{ value: 0.3, count: 960 }]);
    expect(stats).toMatchObject({ lost: 1, concealed: 0 });
  });
});

describe('a silent participant', () => {
  it('has no codecs until the first sound, then keeps them, and loses no sound', async () => {
    const conference = new Conference({ silenceSuppression: true, idleTimeoutMs: 1e9 });
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    conference.pass(100);
    expect(conference.codec.open).toBe(0);
    const speak = async (/** @type {number} */ from) => {
      for (let frame = from; frame < from + 50; frame++) {
        conference.pass(1);
        await ann.speak(frame, 0.2);
        await bob.speak(frame, 0.1);
      }
      await ann.speak(from + 50, null);
      await bob.speak(from + 50, null);
    };
    await speak(100);
    // A decoder of both, the encoders of what each of them hears, and the encoder of what Cid
    // hears.
    expect(conference.codec.open).toBe(5);
    conference.pass(500);
    // Opus's state goes on over silence.
    expect(conference.codec.open).toBe(5);
    await speak(650);
    expect(conference.codec.open).toBe(5);
    conference.pass(3);
    const heard = await Promise.all([ann, bob, cid].map((person) => person.heard()));
    for (const from of [100, 650]) {
      for (let frame = from; frame < from + 50; frame++) {
        expect(heard.map((frames) => steps(frames.get(frame))?.[0].value)).toEqual([0.1, 0.2, 0.3]);
      }
    }
    expect(ann.stats()).toMatchObject({
      received: 102,
      concealed: 0,
      garbage: 0,
      late: 0,
      lost: 0,
    });
  });

  it('is heard by readers two seconds behind, before anything is given back', async () => {
    const conference = new Conference({
      silenceSuppression: true,
      idleTimeoutMs: 1e9,
      serverDelayMs: 2000,
    });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let frame = 0; frame < 50; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.2);
    }
    await ann.speak(50, null);
    conference.pass(400);
    const heard = await bob.heard();
    for (let frame = 0; frame < 50; frame++)
      expect(steps(heard.get(frame))).toEqual([{ value: 0.2, count: 960 }]);
  });

  it('gets codecs on joining if they are scarce, so that excess people are notified', async () => {
    const conference = new Conference({ idleTimeoutMs: 1e9 });
    conference.codec.maxInstances = 5;
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    expect(conference.codec.open).toBe(5);
    conference.pass(500);
    expect(conference.codec.open).toBe(5);
    for (const person of [ann, bob]) person.session.close(0, 'left');
    expect(conference.codec.open).toBe(0);
  });

  it('is not heard if no codec is left, and the others still hear each other', async () => {
    const conference = new Conference();
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    const { createDecoder } = conference.codec;
    const decoders = /** @type {unknown[]} */ ([]);
    conference.codec.createDecoder = (shape) => {
      if (decoders.length === 1) throw new Error('no more');
      const decoder = createDecoder(shape);
      decoders.push(decoder);
      return decoder;
    };
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.2);
      await bob.speak(frame, 0.1);
    }
    conference.pass(3);
    const heard = await cid.heard();
    for (let frame = 0; frame < 20; frame++) expect(steps(heard.get(frame))?.[0].value).toBe(0.2);
    expect(bob.stats()).toMatchObject({ received: 20, garbage: 20 });
  });
});

describe('a participant who sends too much', () => {
  it('has the rest of it dropped unread, and the others hear each other as before', async () => {
    const conference = new Conference();
    const [ann, bob, eve] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Eve'),
    ];
    const flood = await eve.packet(0, null);
    for (let frame = 0; frame < 200; frame++) {
      conference.pass(1);
      for (let i = 0; i < 300; i++) eve.session.handler?.packet(flood, conference.clock.now());
      await ann.speak(frame, 0.1);
    }
    conference.pass(3);
    const heard = await bob.heard();
    for (let frame = 0; frame < 200; frame++)
      expect(steps(heard.get(frame))).toEqual([{ value: 0.1, count: 960 }]);
    expect(ann.stats()).toMatchObject({ received: 200, concealed: 0, dropped: { flood: 0 } });
    // Three times the frames and 50 clock requests a second, and two seconds of that at once.
    expect(eve.stats()?.dropped.flood).toBe(200 * 300 - (400 + 200 * 4 - 4));
  });

  it('is forgiven what a network held back for two seconds', async () => {
    const conference = new Conference();
    const [ann] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(100);
    for (let frame = 0; frame < 100; frame++) await ann.speak(frame, 0.1);
    expect(ann.stats()?.dropped.flood).toBe(0);
  });
});

describe('a room that replies', () => {
  it.each([0, 60, 67.5, 130])(
    "reads at the packet's own clock less D = %d ms, to the sample",
    async (serverDelayMs) => {
      const conference = new Conference({ delivery: 'reply', serverDelayMs });
      const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
      for (let frame = 0; frame < 20; frame++) {
        conference.pass(1);
        await ann.speak(frame, 0.01 * (frame + 1));
        await bob.speak(frame, null);
      }
      const pcm = (await bob.heard()).get(19);
      const start = 19 * 960 - serverDelayMs * 48;
      const first = Math.floor(start / 960);
      const split = (first + 1) * 960 - start;
      const value = (/** @type {number} */ frame) => Math.round(10 * (frame + 1)) / 1000;
      const expected = [{ value: value(first), count: split }];
      if (split < 960) expected.push({ value: value(first + 1), count: 960 - split });
      expect(steps(pcm)).toEqual(expected);
    },
  );

  it('answers every packet once, with its own frame index, silent or not', async () => {
    const conference = new Conference({ delivery: 'reply' });
    const ann = await conference.join('Ann');
    conference.pass(10);
    for (const frame of [7, 8, 8, 6, 9]) await ann.speak(frame, 0.1);
    expect([...(await ann.heard()).keys()]).toEqual([7, 8, 6, 9]);
    expect(ann.stats()).toMatchObject({ duplicate: 1 });
  });

  it('never lets a listener whose clock runs ahead cost others a packet', async () => {
    const conference = new Conference({ delivery: 'reply', serverDelayMs: 40 });
    const [ann, bob, liar] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Liar'),
    ];
    for (let frame = 0; frame < 50; frame++) {
      conference.pass(1);
      await liar.speak(frame + 20, null);
      await ann.speak(frame, 0.01 * (frame + 1));
      await bob.speak(frame, null);
    }
    const heard = await bob.heard();
    for (let frame = 2; frame < 50; frame++) {
      expect(steps(heard.get(frame))).toEqual([
        { value: Math.round(10 * (frame - 1)) / 1000, count: 960 },
      ]);
    }
    expect(ann.stats()).toMatchObject({ received: 50, concealed: 0, late: 0 });
  });

  it('lets a slower listener still hear a packet that came too late for a faster one', async () => {
    const conference = new Conference({ delivery: 'reply', serverDelayMs: 0 });
    const [ann, bob, cid] = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid'),
    ];
    await ann.speak(0, 0.1);
    for (let frame = 1; frame < 10; frame++) {
      conference.pass(1);
      await bob.speak(frame, null);
      conference.clock.advance(5);
      await ann.speak(frame, 0.01 * frame);
      conference.clock.advance(5);
      await cid.speak(frame, null);
      conference.clock.advance(-10 + 10);
    }
    const [fast, slow] = [await bob.heard(), await cid.heard()];
    expect(steps(fast.get(5))?.[0].value).toBe(CONCEALED);
    expect(steps(slow.get(5))?.[0].value).toBe(0.05);
  });
});

describe('a listener with a delay of its own', () => {
  const value = (/** @type {number} */ frame) => Math.round(10 * (frame + 1)) / 1000;

  it.each([0, 8, 67.5, 1000, 2000])(
    "reads at its own D = %d ms, beside one who is pushed at the room's",
    async (own) => {
      const conference = new Conference({ serverDelayMs: 60 });
      const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
      const cid = await conference.join('Cid', { delivery: 'reply', serverDelayMs: own });
      expect(cid.session.told('welcome')[0]).toMatchObject({
        delivery: 'reply',
        serverDelayMs: own,
      });
      expect(ann.session.told('welcome')[0]).toMatchObject({ delivery: 'tick', serverDelayMs: 60 });
      for (let frame = 0; frame < 200; frame++) {
        conference.pass(1);
        await ann.speak(frame, 0.001 * (frame + 1));
        await bob.speak(frame, null);
        await cid.speak(frame, null);
      }
      const heard = (await cid.heard()).get(199);
      const start = 199 * 960 - own * 48;
      const first = Math.floor(start / 960);
      const split = (first + 1) * 960 - start;
      const expected = [{ value: (first + 1) / 1000, count: split }];
      if (split < 960) expected.push({ value: (first + 2) / 1000, count: 960 - split });
      expect(steps(heard)).toEqual(expected);
      expect(steps((await bob.heard()).get(190))).toEqual([{ value: 0.191, count: 960 }]);
    },
  );

  it('and replies make the room keep PCM longer only while they are there', async () => {
    let ring = new Float32Array(0);
    const observer = {
      received: (
        /** @type {import('../../../server/room/people/member.js').Member} */ { source },
      ) => void (ring = source?.ring.samples ?? ring),
      ticked: () => {},
      mixed: () => {},
    };
    const conference = new Conference({ observer });
    const ann = await conference.join('Ann');
    const samples = async () => {
      for (let i = 0; i < 2; i++) {
        conference.pass(5);
        await ann.speak(Math.floor(conference.sampleClock.now() / 960) - 1, 0.1);
      }
      return ring.length;
    };
    const usual = await samples();
    expect(usual).toBeLessThanOrEqual(200 * 48);
    const bob = await conference.join('Bob', { delivery: 'reply' });
    const replies = await samples();
    expect(replies).toBe(1040 * 48);
    const cid = await conference.join('Cid', { delivery: 'reply', serverDelayMs: 100 });
    expect(await samples()).toBe(replies + 2000 * 48);
    cid.session.handler?.control({ type: 'delay', serverDelayMs: 0 });
    expect(await samples()).toBe(replies + 2000 * 48);
    cid.session.close(0, '');
    expect(await samples()).toBe(replies);
    bob.session.close(0, '');
    expect(await samples()).toBe(usual);
  });

  it('costs the others nothing when it reads earlier than they', async () => {
    const conference = new Conference({ serverDelayMs: 60 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    const hasty = await conference.join('Hasty', { delivery: 'reply', serverDelayMs: 0 });
    conference.pass(2);
    for (const frame of [0, 1]) await ann.speak(frame, value(frame));
    for (let frame = 2; frame < 60; frame += 2) {
      conference.pass(2);
      await ann.speak(frame + 1, value(frame + 1));
      await hasty.speak(frame, null);
      await hasty.speak(frame + 1, null);
      await ann.speak(frame, value(frame));
    }
    conference.pass(5);
    const heard = await bob.heard();
    for (let frame = 0; frame < 60; frame++)
      expect(steps(heard.get(frame))).toEqual([{ value: value(frame), count: 960 }]);
    // Concealed is only what fell due after her last frame.
    expect(ann.stats()).toMatchObject({ received: 60, late: 0, concealed: 2 });
  });

  it('receives the number of packets that came before its report', async () => {
    const conference = new Conference();
    const wish = { delivery: 'reply', serverDelayMs: 0 };
    const [ann, bob] = [await conference.join('Ann', wish), await conference.join('Bob', wish)];
    let at = 0;
    const talk = async (/** @type {number} */ frames) => {
      for (const end = at + frames; at < end; at++) {
        conference.pass(1);
        await ann.speak(at, 0.1);
        await bob.speak(at, at % 2 ? 0.2 : null);
      }
    };
    await talk(50);
    bob.session.handler?.control({ type: 'delay', serverDelayMs: 12 });
    ann.session.handler?.control({ type: 'delay', serverDelayMs: 12 });
    // Bob is always second, so he hears all; Ann is first, and nothing of Bob's frame is there yet.
    expect(bob.session.told('delayed')).toEqual([
      {
        type: 'delayed',
        serverDelayMs: 12,
        before: { serverDelayMs: 0, sentSamples: 48000, heardSamples: 48000 },
      },
    ]);
    expect(ann.session.told('delayed')[0].before).toEqual({
      serverDelayMs: 0,
      sentSamples: 49 * 960,
      heardSamples: 0,
    });
    await talk(100);
    const stats = ann.session.told('stats').at(-1);
    expect(stats.heardSecondPercent).toBeCloseTo(60, 6);
    expect(ann.stats()).toMatchObject({ sentSamples: 149 * 960, heardSamples: 100 * 576 });
    expect(ann.session.told('stats').at(-1).heardPercent).toBeGreaterThan(0);
    expect(/** @type {any} */ (ann.stats()).heardPercent).toBeCloseTo(
      (100 * 100 * 576) / (149 * 960),
      6,
    );
    ann.session.handler?.control({ type: 'delay', serverDelayMs: 20 });
    await talk(50);
    ann.session.handler?.control({ type: 'delay', serverDelayMs: 20 });
    const { before } = ann.session.told('delayed').at(-1);
    expect(before).toEqual({ serverDelayMs: 20, sentSamples: 48000, heardSamples: 48000 });
  });

  it("counts as unheard what was lost on the way up, the speaker's packet or its own", async () => {
    const conference = new Conference();
    const wish = { delivery: 'reply', serverDelayMs: 40 };
    const [ann, bob] = [await conference.join('Ann', wish), await conference.join('Bob', wish)];
    for (let frame = 0; frame < 100; frame++) {
      conference.pass(1);
      if (frame % 10 !== 3) await ann.speak(frame, 0.1);
      if (frame % 10 !== 7) await bob.speak(frame, null);
    }
    bob.session.handler?.control({ type: 'delay', serverDelayMs: 40 });
    const { sentSamples, heardSamples } = bob.session.told('delayed')[0].before;
    expect(sentSamples).toBe(98 * 960);
    expect(heardSamples).toBe((98 - 10 - 10) * 960);
    // A pause is no loss.
    conference.pass(200);
    for (let frame = 300; frame < 350; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
      await bob.speak(frame, null);
    }
    bob.session.handler?.control({ type: 'delay', serverDelayMs: 40 });
    expect(bob.session.told('delayed')[1].before.sentSamples).toBe(50 * 960);
  });

  it.each([
    [{ serverDelayMs: 40 }],
    [{ delivery: 'tick', serverDelayMs: 40 }],
    [{ delivery: 'reply', serverDelayMs: -1 }],
    [{ delivery: 'reply', serverDelayMs: 2001 }],
    [{ delivery: 'reply', serverDelayMs: '40' }],
    [{ delivery: 'push' }],
  ])('is refused for %j', async (wish) => {
    const conference = new Conference();
    const { session } = await conference.join('Ann', /** @type {any} */ (wish));
    expect(session.messages).toMatchObject([{ type: 'refused', code: 'bad-request' }]);
  });

  it("can't be had where mixes are pushed, nor be out of range", async () => {
    const conference = new Conference();
    const [ann, bob] = [
      await conference.join('Ann'),
      await conference.join('Bob', { replyOnly: true }),
    ];
    for (const { session } of [ann, bob]) {
      for (const serverDelayMs of [-1, 2001, null, 'x'])
        session.handler?.control({ type: 'delay', serverDelayMs });
      session.handler?.control({ type: 'delay', serverDelayMs: 100 });
    }
    expect(ann.stats()?.dropped.control).toBe(5);
    expect(bob.stats()?.dropped.control).toBe(4);
    expect(bob.session.told('delayed')).toMatchObject([
      { serverDelayMs: 100, before: { serverDelayMs: 60 } },
    ]);
    expect(ann.stats()).not.toHaveProperty('heardPercent');
  });

  it('stays `reply` where nothing can be pushed, whatever is asked for', async () => {
    const conference = new Conference();
    const old = await conference.join('Old', { replyOnly: true, delivery: 'tick' });
    const ann = await conference.join('Ann', { delivery: 'reply' });
    expect(old.session.told('welcome')[0].delivery).toBe('reply');
    expect(ann.session.told('welcome')[0]).toMatchObject({ delivery: 'reply', serverDelayMs: 60 });
    expect(conference.clock.waiting).toBe(1);
  });
});

describe('both deliveries in one room', () => {
  it('lets people on HTTP/1 and people on datagrams hear each other', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const old = await conference.join('Old', { replyOnly: true });
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
      await old.speak(frame, 0.2);
    }
    conference.pass(5);
    expect(old.session.told('welcome')[0].delivery).toBe('reply');
    expect(steps((await old.heard()).get(15))).toEqual([{ value: 0.1, count: 960 }]);
    expect(steps((await ann.heard()).get(15))).toEqual([{ value: 0.2, count: 960 }]);
  });
});

describe('formats', () => {
  it.each([
    { frameMs: 10 },
    { frameMs: 40 },
    { frameMs: 60 },
    { frameMs: 2.5 },
    { frameMs: 80, sampleRate: 8000, opusFrames: 8 },
  ])('carries $frameMs ms frames, $opusFrames Opus frames each', async (format) => {
    const conference = new Conference({ ...format, serverDelayMs: 160 });
    const [ann, bob] = [
      await conference.join('Ann'),
      await conference.join('Bob', { replyOnly: true }),
    ];
    const cid = await conference.join('Cid');
    for (let frame = 0; frame < 100; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
      await bob.speak(frame, null);
    }
    conference.pass(3);
    const count = conference.format.frameSamples;
    expect(steps((await cid.heard()).get(90 - Math.ceil(160 / format.frameMs)))).toEqual([
      { value: 0.1, count },
    ]);
    expect(steps((await bob.heard()).get(90))).toEqual([{ value: 0.1, count }]);
  });
});

describe('wrong packets of participants', () => {
  it('is dropped and counted by reason, and the call goes on', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(100);
    const good = await ann.packet(100, 0.1);
    const wrong = [
      new Uint8Array(0),
      new Uint8Array(1201),
      Uint8Array.of(0x21, ...good.subarray(1)),
      Uint8Array.of(0x1f, 0, 0, 0),
      good.slice(0, 5),
      Uint8Array.of(good[0], 0xff, ...good.subarray(2)),
      await ann.packet(100_000, 0.1),
      await ann.packet(2 ** 31 + 200, 0.1),
    ];
    for (const bytes of wrong) ann.session.handler?.packet(bytes, conference.clock.now());
    conference.pass(60);
    await ann.speak(3, 0.1);
    await ann.speak(160, 0.2);
    conference.pass(5);
    expect(ann.stats()?.dropped).toMatchObject({
      empty: 1,
      oversized: 1,
      version: 1,
      type: 1,
      truncated: 1,
      malformed: 1,
      early: 1,
      past: 2,
    });
    expect(steps((await bob.heard()).get(160))).toEqual([{ value: 0.2, count: 960 }]);
  });

  it('is concealed when it is garbage instead of Opus, and nobody else hears it', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(1);
    const bytes = await ann.packet(0, 0.5);
    bytes.fill(0x33, 9);
    ann.session.handler?.packet(bytes, conference.clock.now());
    await bob.speak(0, 0.2);
    conference.pass(5);
    expect(ann.stats()).toMatchObject({ garbage: 1 });
    expect(steps((await bob.heard()).get(0))).toEqual([{ value: CONCEALED, count: 960 }]);
    expect(steps((await ann.heard()).get(0))).toEqual([{ value: 0.2, count: 960 }]);
  });

  it('is answered with a clock reply when it asks for the clock, but not without end', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    conference.clock.advance(7.5);
    for (let i = 0; i < 500; i++)
      ann.session.handler?.packet(Uint8Array.of(0x12, 0, 1, i & 255), conference.clock.now());
    const replies = ann.session.packets.filter((bytes) => bytes[0] === 0x13);
    expect(replies.length).toBe(50);
    expect(new DataView(replies[0].buffer).getFloat64(4)).toBeCloseTo(7.5 * 48, 6);
    expect(ann.stats()?.dropped.flood).toBe(450);
  });

  it('recovers a lost frame from a later packet that repeats it', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    conference.pass(3);
    const [zero, one, two] = [
      await ann.packet(0, 0.1),
      await ann.packet(1, 0.2),
      await ann.packet(2, 0.3),
    ];
    const repeat = one.subarray(9);
    const repeated = new Uint8Array([
      two[0],
      1,
      ...two.subarray(2, 9),
      repeat.length,
      ...repeat,
      ...two.subarray(9),
    ]);
    for (const bytes of [zero, repeated])
      ann.session.handler?.packet(bytes, conference.clock.now());
    conference.pass(5);
    const heard = await bob.heard();
    expect([0, 1, 2].map((frame) => steps(heard.get(frame))?.[0].value)).toEqual([0.1, 0.2, 0.3]);
    expect(ann.stats()).toMatchObject({ recovered: 1, concealed: 2, lost: 1 });
  });
});

describe('a person who comes and goes', () => {
  it('is announced to the others, and leaves nothing behind', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    expect(ann.session.told('joined')).toMatchObject([
      { person: { id: bob.id, name: 'Bob', muted: false } },
    ]);
    bob.session.handler?.control({ type: 'mute', muted: true });
    expect(ann.session.told('changed')).toMatchObject([{ person: { id: bob.id, muted: true } }]);
    bob.session.handler?.control({ type: 'leave' });
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    ann.session.close(0, '');
    expect(conference.rooms.size).toBe(0);
    expect(conference.codec.open).toBe(0);
    expect(conference.clock.waiting).toBe(0);
  });

  it('can’t make the others’ pages busy by muting repeatedly, and may still leave', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let i = 0; i < 500; i++)
      bob.session.handler?.control({ type: 'mute', muted: i % 2 === 0 });
    expect(ann.session.told('changed').length).toBe(20);
    expect(bob.stats()?.dropped.control).toBe(480);
    conference.clock.advance(1000);
    bob.session.handler?.control({ type: 'mute', muted: true });
    expect(ann.session.told('changed').length).toBe(21);
    for (let i = 0; i < 50; i++) bob.session.handler?.control({ type: 'mute', muted: i % 2 === 0 });
    bob.session.handler?.control({ type: 'leave' });
    expect(ann.session.told('left').length).toBe(1);
  });

  it('is removed within the idle and away timeouts when nothing more is heard', async () => {
    const conference = new Conference({ idleTimeoutMs: 3000, awayTimeoutMs: 2000 });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let frame = 0; frame < 400; frame++) {
      conference.pass(1);
      await ann.speak(frame, null);
    }
    expect(bob.session.closed?.code).toBe(11);
    expect(ann.session.told('left')).toEqual([{ type: 'left', id: bob.id }]);
    expect(conference.rooms.get('lab')?.size).toBe(1);
  });

  it('is not lost because the server stood still, as anybody who listens', async () => {
    const conference = new Conference({ idleTimeoutMs: 3000 });
    const all = [await conference.join('Ann'), await conference.join('Lea', { listen: true })];
    const codes = () => all.map(({ session }) => session.closed?.code ?? null);
    conference.clock.advance(1500);
    conference.clock.stall(60_000);
    conference.clock.advance(1000);
    expect(codes()).toEqual([null, null]);
    conference.clock.advance(3000);
    expect(codes()).toEqual([11, 11]);
  });

  it('is refused when the room is full, and when there are too many rooms', async () => {
    const conference = new Conference({ maxParticipants: 2, maxRooms: 2 });
    await conference.join('Ann');
    await conference.join('Bob');
    const third = await conference.join('Cid');
    expect(third.session.messages).toMatchObject([{ type: 'refused', code: 'room-full' }]);
    expect(third.session.closed?.code).toBe(4);
    await conference.join('Dot', { room: 'two' });
    const fifth = await conference.join('Eve', { room: 'three' });
    expect(fifth.session.messages).toMatchObject([{ type: 'refused', code: 'too-many-rooms' }]);
    expect(conference.rooms.size).toBe(2);
  });

  it('is refused when the server holds as many people as it may', async () => {
    const conference = new Conference({ maxPeople: 2 });
    const ann = await conference.join('Ann');
    await conference.join('Bob', { room: 'two' });
    const third = await conference.join('Cid', { room: 'three' });
    expect(third.session.messages).toMatchObject([{ type: 'refused', code: 'server-full' }]);
    ann.session.close(0, '');
    const fourth = await conference.join('Dot', { room: 'three' });
    expect(fourth.id).toBeDefined();
  });

  it.each([
    [{ type: 'join', version: 1, room: '', name: 'Ann' }, 'room-name'],
    [{ type: 'join', version: 1, room: 'a/b', name: 'Ann' }, 'room-name'],
    [{ type: 'join', version: 1, room: 'x'.repeat(65), name: 'Ann' }, 'room-name'],
    [{ type: 'join', version: 1, room: 'lab', name: '' }, 'user-name'],
    [{ type: 'join', version: 1, room: 'lab', name: '  ' }, 'user-name'],
    [{ type: 'join', version: 1, room: 'lab', name: '\u200b\u2060' }, 'user-name'],
    [{ type: 'join', version: 1, room: 'lab', name: 'a\u0007' }, 'user-name'],
    [{ type: 'join', version: 1, room: 'lab', name: 'a\u202eb' }, 'user-name'],
    [{ type: 'join', version: 1, room: 'lab', name: 'x'.repeat(41) }, null],
    [{ type: 'join', version: 2, room: 'lab', name: 'Ann' }, 'protocol-version'],
    [{ type: 'join', room: 7 }, 'bad-request'],
    [{ type: 'mute', muted: true }, 'bad-request'],
    [null, 'bad-request'],
    ['join', 'bad-request'],
    [{ type: 'join', version: 1, room: '__proto__', name: 'Ann' }, null],
  ])('is refused for %j: %s', async (message, code) => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { room: 'other' });
    ann.session.messages.length = 0;
    const { session } = await conference.join('Bob', { room: 'third' });
    session.handler?.control({ type: 'leave' });
    const bad = new (Object.getPrototypeOf(session).constructor)(conference.transport);
    conference.arrivals.accept(bad);
    bad.handler.control(message);
    await settle();
    if (code === null) expect(bad.told('welcome').length).toBe(1);
    else expect(bad.messages).toMatchObject([{ type: 'refused', code }]);
    expect(conference.logged).toEqual([]);
  });

  it('is let go when the connection ends while joining, or never asks to join', async () => {
    const conference = new Conference();
    const first = await conference.join('Ann');
    const session = new (Object.getPrototypeOf(first.session).constructor)(conference.transport);
    conference.arrivals.accept(session);
    session.handler.control({ type: 'join', version: 1, room: 'lab', name: 'Bob' });
    session.close(0, 'closed at once');
    await settle();
    expect(conference.rooms.get('lab')?.size).toBe(1);

    const mute = new (Object.getPrototypeOf(first.session).constructor)(conference.transport);
    conference.arrivals.accept(mute);
    conference.clock.advance(10_001);
    expect(mute.messages).toMatchObject([{ type: 'refused', code: 'join-timeout' }]);
    expect(mute.closed.code).toBe(10);
  });

  it('hears why when the server closes', async () => {
    const conference = new Conference();
    const people = [
      await conference.join('Ann'),
      await conference.join('Bob'),
      await conference.join('Cid', { room: 'two' }),
    ];
    for (const { session } of people) session.messages.length = 0;
    conference.rooms.close();
    for (const person of people) {
      // And not of everybody else: in a big room that would take longer than a server has to close.
      expect(person.session.messages).toMatchObject([{ type: 'closing', code: 'server-closing' }]);
      expect(person.session.closed?.code).toBe(12);
    }
    expect(conference.codec.open).toBe(0);
    expect(conference.clock.waiting).toBe(0);
  });
});

describe('the rooms of a server', () => {
  it('mix at moments apart, each on a clock of its own', async () => {
    const conference = new Conference();
    const names = Array.from({ length: 10 }, (_, i) => `room-${i}`);
    for (const room of names) await conference.join('Ada', { room });
    const phases = names
      .map((name) => conference.rooms.get(name)?.sound.sampleClock.now() ?? NaN)
      .map(
        (clock) =>
          ((conference.sampleClock.now() - clock) / conference.format.frameSamples + 1) % 1,
      )
      .sort((a, b) => a - b);
    const gaps = phases.map((phase, i) => (i > 0 ? phase - phases[i - 1] : phase + 1 - phases[9]));
    expect(Math.min(...gaps)).toBeGreaterThan(0.3 / names.length);
    expect(Math.max(...gaps)).toBeLessThan(2 / names.length);
    conference.rooms.close();
  });
});
