import { afterEach, describe, expect, it, vi } from 'vitest';
import { Netem, netemWords } from '../../../bench/link/netem.js';

describe('netemWords', () => {
  it('says nothing of what is off', () => {
    expect(netemWords({})).toEqual({ words: ['limit', '30000'], differences: [] });
  });

  it('says delay, jitter and random loss', () => {
    const { words, differences } = netemWords({ delayMs: 20, jitter: 'normal', jitterMs: 4, lossPercent: 0.5 });
    expect(words.join(' ')).toBe('limit 30000 delay 20ms 4ms distribution normal loss random 0.5%');
    expect(differences).toEqual(['jitter reorders packets']);
  });

  it('says bursts of loss by their four numbers', () => {
    const { words } = netemWords({ burstEnter: 0.01, burstLeave: 0.25, badLossPercent: 80, goodLossPercent: 1 });
    expect(words.join(' ')).toBe('limit 30000 loss gemodel 1% 25% 80% 1%');
  });

  it('counts the packets under way among those that it queues', () => {
    const { words } = netemWords({ rateBits: 12e6, delayMs: 100, queuePackets: 50 });
    expect(words.join(' ')).toBe('limit 150 delay 100ms rate 12000000bit');
  });

  it('tells what it can\'t do', () => {
    const { differences } = netemWords({
      delayMs: 1, jitter: 'lognormal', jitterMs: 1, jitterHoldMs: 5, stallsPerSecond: 1, reorderPercent: 1,
      rateBits: 1e6, queueMs: 100, burstEnter: 0.1, lossPercent: 1,
    });
    expect(differences).toHaveLength(6);
  });
});

describe('Netem', () => {
  afterEach(() => vi.useRealTimers());

  const start = async () => {
    /** @type {string[]} */
    const said = [];
    const runTc = async (/** @type {string[]} */ ...args) => {
      said.push(args.join(' '));
      return JSON.stringify([{ kind: 'netem', packets: 5, bytes: 500, drops: 2 }]);
    };
    const parameters = { up: { delayMs: 5 }, down: {} };
    const netem = await Netem.start({ client: 'c', server: 's', device: 'd', parameters, runTc });
    return { netem, said };
  };

  it('shapes what each side sends', async () => {
    const { said } = await start();
    expect(said).toEqual([
      '-n c qdisc add dev d root netem limit 30000 delay 5ms',
      '-n s qdisc add dev d root netem limit 30000',
    ]);
  });

  it('keeps what a change doesn\'t name', async () => {
    const { netem, said } = await start();
    await netem.set({ up: { lossPercent: 2 }, down: {} });
    expect(said[2]).toBe('-n c qdisc change dev d root netem limit 30000 delay 5ms loss random 2%');
  });

  it('reads its counts', async () => {
    const { netem } = await start();
    const { up } = await netem.stats();
    expect(up).toEqual({ delivered: { packets: 5, bytes: 500 }, dropped: { packets: 2 } });
  });

  it('steps in time, until it is closed', async () => {
    vi.useFakeTimers();
    const { netem, said } = await start();
    const at = (/** @type {number} */ atMs) => ({ atMs, up: { delayMs: atMs }, down: {} });
    await netem.steps([at(100), at(200), at(300)]);
    await vi.advanceTimersByTimeAsync(250);
    await netem.close();
    await vi.advanceTimersByTimeAsync(250);
    expect(said.filter((line) => line.includes('change') && line.includes('-n c'))).toHaveLength(2);
  });
});
