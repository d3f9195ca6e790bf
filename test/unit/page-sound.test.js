import { describe, expect, it } from 'vitest';
import { HISTORY_SECONDS, SoundHistory } from '../../public/ui/sound-history.js';
import { quantity, rangeOf, soundReport } from '../../public/ui/sound-report.js';

const parts = { frameMs: 20, serverDelayMs: 60, wayMs: 5, playoutMs: 25, outputMs: 10 };

/**
 * @param {{ up?: number, down?: number, lost?: number, received?: number, server?: object | null }} [sums]
 * @returns {any}
 */
const statsOf = ({ up = 0, down = 0, lost = 0, received = 0, server = null } = {}) => ({
  transport: 'webtransport',
  roundTripMs: 10.4,
  receivedPercent: 99.94,
  delayMs: 120,
  delayParts: parts,
  bytes: { up, down },
  detail: { playout: { lost, received }, server },
});

describe('the history of a call’s sound', () => {
  it('makes rates of the sums of bytes, and knows none at first', () => {
    const history = new SoundHistory();
    history.add(statsOf({ up: 1000, down: 5000 }), 10_000);
    history.add(statsOf({ up: 6000, down: 11_000 }), 12_000);
    expect(history.samples.map(({ second, upKbps, downKbps }) => [second, upKbps, downKbps])).toEqual([
      [0, null, null],
      [2, 20, 24],
    ]);
  });

  it('makes loss of the last five seconds’ packets, and takes the server’s word for the way up', () => {
    const history = new SoundHistory();
    history.add(statsOf({ lost: 40, received: 0 }), 0);
    for (let i = 1; i <= 6; i++) history.add(statsOf({ lost: 40, received: 50 * i }), 1000 * i);
    expect(history.samples.at(-1)?.lostDownPercent).toBe(0);
    history.add(statsOf({ lost: 90, received: 500, server: { lostPercent5s: 1.5 } }), 7000);
    expect(history.samples.at(-1)).toMatchObject({ lostDownPercent: (100 * 50) / 450, lostUpPercent: 1.5 });
  });

  it('begins anew with a connection that is new, and forgets what is old', () => {
    const history = new SoundHistory();
    history.add(statsOf({ down: 5000, received: 100 }), 0);
    history.add(statsOf({ down: 10, received: 1 }), 1000);
    expect(history.samples.at(-1)).toMatchObject({ downKbps: null, lostDownPercent: null });
    for (let i = 0; i < 2 * HISTORY_SECONDS; i++) history.add(statsOf({ down: 100 * i + 20 }), 2000 + 1000 * i);
    expect(history.samples).toHaveLength(HISTORY_SECONDS);
    history.clear();
    expect(history.samples).toEqual([]);
  });
});

describe('the report of a call’s sound', () => {
  it('says as text what the panel shows: the sum, its parts, the figures', () => {
    const history = new SoundHistory();
    history.add(statsOf(), 0);
    const report = soundReport({ room: 'tea', stats: statsOf(), sample: history.samples[0], at: 'noon' });
    expect(report).toBe(`aloud, room tea, noon
Connected over WebTransport
What you hear is 120 ms old
  A frame is filled: 20 ms
  Server-side delay: 60 ms
  Way through the network: 5 ms
  Playout buffer: 25 ms
  Waiting for the speaker: 10 ms
Round trip: 10 ms
Received audio: 99.9 %
Server-side delay: 60 ms
Playout delay: 25 ms
Lost packets, up: –
Lost packets, down: –
Bit rate, up: –
Bit rate, down: –
`);
  });

  it('puts a dash where a number isn’t known', () => {
    for (const value of [null, undefined, NaN, Infinity]) expect(quantity(value, 'ms')).toBe('–');
    expect(quantity(0, '%', 1)).toBe('0.0 %');
  });

  it.each([
    [[null], { least: 20 }, [0, 25]],
    [[3, 96], { least: 20 }, [0, 150]],
    [[99, null], { least: 5, hangs: true }, [95, 100]],
    [[71.2], { least: 5, hangs: true }, [70, 100]],
  ])('gives the values %j an axis with room for them', (values, row, range) => {
    expect(rangeOf(values, row)).toEqual(range);
  });
});
