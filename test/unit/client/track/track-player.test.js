import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TrackPlayer } from '../../../../public/client/track/track-player.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

const RATE = 8000;

describe("a backing track's player", () => {
  /**
   * @type {{ piece: number, when: number, offset: number, stoppedAt: number, fades: (string |
   *   number)[][] }[]}
   */
  let played = [];
  /** @type {FakeClock} */
  let clock;
  /** @type {string[]} */
  let asked = [];
  /** Ends the played pieces, one by one. @type {(() => void)[]} */
  let ends = [];
  let fails = false;
  /** Its reports of failures, and of their ends. @type {boolean[]} */
  let failures = [];
  /** @type {TrackPlayer} */
  let player;
  /** The context's time is 7 s ahead of the page's clock. */
  const context = {
    state: 'running',
    stoodStillMs: 0,
    get currentTime() {
      return (clock.now() - context.stoodStillMs) / 1000 + 7.01;
    },
    getOutputTimestamp: () => ({
      contextTime: (clock.now() - context.stoodStillMs) / 1000 + 7,
      performanceTime: clock.now(),
    }),
  };
  const track = { id: 'blue', seconds: 25, from: /** @type {number | null} */ (null) };

  /** Lets promises go on between the steps. @param {number} ms */
  async function pass(ms) {
    for (let i = 0; i < ms; i += 250) {
      clock.advance(250);
      await Promise.resolve()
        .then(() => {})
        .then(() => {});
    }
  }

  beforeEach(() => {
    [played, asked, ends, fails, failures] = [[], [], [], false, []];
    context.stoodStillMs = 0;
    clock = new FakeClock();
    clock.advance(50);
    class Node {
      /** @type {(string | number)[][]} */
      fades = [];
      gain = {
        value: 1,
        setValueAtTime: (/** @type {number} */ value, /** @type {number} */ at) =>
          this.fades.push([value, at]),
        linearRampToValueAtTime: (/** @type {number} */ value, /** @type {number} */ at) =>
          this.fades.push(['to', value, at]),
        setTargetAtTime: () => {},
        cancelScheduledValues: () => {},
      };
      /** @param {any} to */
      connect(to) {
        return (this.to = to);
      }
      disconnect() {}
      ended = () => {};
      /** @param {string} _type @param {() => void} run */
      addEventListener(_type, run) {
        this.ended = run;
      }
    }
    vi.stubGlobal('GainNode', Node);
    vi.stubGlobal(
      'AudioBuffer',
      class {
        piece = NaN;
        /** @param {Float32Array} samples */
        copyToChannel(samples) {
          this.piece = samples[0];
        }
      },
    );
    vi.stubGlobal(
      'AudioBufferSourceNode',
      class extends Node {
        /** @param {unknown} _context @param {{ buffer: { piece: number } }} options */
        constructor(_context, { buffer }) {
          super();
          this.entry = {
            piece: buffer.piece,
            when: NaN,
            offset: NaN,
            stoppedAt: NaN,
            fades: this.fades,
          };
        }
        /** @param {number} when @param {number} offset */
        start(when, offset) {
          played.push(Object.assign(this.entry, { when, offset, fades: this.to.fades }));
          ends.push(() => this.ended());
        }
        /** @param {number} at */
        stop(at) {
          this.entry.stoppedAt = at;
        }
      },
    );
    const get = async (/** @type {string} */ id, /** @type {number} */ number) => {
      asked.push(`${id} ${number}`);
      if (fails) throw new Error('no');
      return [Float32Array.of(number), Float32Array.of(number)];
    };
    player = new TrackPlayer(/** @type {any} */ ({ context }), RATE, clock, {
      get,
      failing: (isFailing) => void failures.push(isFailing),
    });
    player.follow({ sample: 1000, atMs: 50 });
  });
  afterEach(() => {
    player.close();
    vi.unstubAllGlobals();
  });

  it('fetches the start early, and plays each piece on time, faded into the next', async () => {
    player.play(track);
    await pass(500);
    expect([asked, played]).toEqual([['blue 0'], []]);
    // In 0.7 s.
    player.play({ ...track, from: 1000 + RATE * 1.2 });
    await pass(30_000);
    expect(asked).toEqual(['blue 0', 'blue 1', 'blue 2']);
    expect(played.map(({ piece, offset }) => [piece, offset])).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
    const first = 7 + 1.25;
    for (const [i, { when, fades }] of played.entries()) {
      expect(when).toBeCloseTo(first + 10 * i, 6);
      expect(fades.slice(-2)).toEqual([
        [1, expect.closeTo(when + 10, 6)],
        ['to', 0, expect.closeTo(when + 10.02, 6)],
      ]);
      if (i > 0)
        expect(fades.slice(0, 2)).toEqual([
          [0, when],
          ['to', 1, when + 0.02],
        ]);
    }
    expect(played[0].fades).toHaveLength(2);
  });

  it('begins within a piece for one who comes later', async () => {
    player.play({ ...track, from: 1000 - RATE * 13 });
    await pass(500);
    expect(asked).toEqual(['blue 1', 'blue 2']);
    const [{ piece, when, offset, fades }] = played;
    expect(piece).toBe(1);
    expect(when - offset).toBeCloseTo(7.05 - 3, 6);
    expect(fades[0]).toEqual([0, when]);
  });

  it('stops at once, and is in time again where the output stood still', async () => {
    player.play({ ...track, from: 1000 });
    await pass(1000);
    context.stoodStillMs = 400;
    await pass(2000);
    expect(played.map(({ piece, stoppedAt }) => [piece, stoppedAt > 0])).toEqual([
      [0, true],
      [0, false],
    ]);
    expect(played[1].when - played[1].offset).toBeCloseTo(7.05 - 0.4, 6);
    player.play({ ...track, from: null });
    expect(played[1].stoppedAt).toBeGreaterThan(0);
    await pass(20_000);
    expect(played).toHaveLength(2);
  });

  it('asks again for what it could not get, after a while, and says so once', async () => {
    fails = true;
    player.play({ ...track, from: 1000 });
    await pass(3000);
    expect([asked, failures]).toEqual([['blue 0', 'blue 1'], [true]]);
    fails = false;
    await pass(1000);
    expect(asked.slice(2)).toEqual(['blue 0', 'blue 1']);
    expect(played.map(({ piece }) => piece)).toEqual([0]);
    expect(failures).toEqual([true, false]);
  });

  it('fails no longer once the track has gone', async () => {
    fails = true;
    player.play({ ...track, from: 1000 });
    await pass(1000);
    player.play(null);
    expect(failures).toEqual([true, false]);
    player.play({ ...track, from: 1000 });
    await pass(4000);
    player.close();
    expect(failures).toEqual([true, false, true, false]);
  });

  it('is silent where the clock isn’t known, and after the end', async () => {
    player.follow(null);
    player.play({ ...track, from: 1000 });
    await pass(1000);
    player.follow({ sample: 1000 + 40 * RATE, atMs: 50 });
    await pass(1000);
    expect([asked, played]).toEqual([[], []]);
  });

  it('keeps no piece that is over: ten seconds of sound are 4 MB', async () => {
    player.play({ ...track, from: 1000 });
    await pass(12_000);
    expect(played.map(({ piece }) => piece)).toEqual([0, 1]);
    ends[0]();
    player.play(null);
    expect(played.map(({ stoppedAt }) => Number.isNaN(stoppedAt))).toEqual([true, false]);
  });
});
