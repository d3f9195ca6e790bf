import { describe, expect, it } from 'vitest';
import {
  figuresOf,
  latenessOf,
  quantity,
  savingsOf,
  soundReport,
} from '../../../public/ui/sound/sound-figures.js';
import { exportText } from '../../../public/ui/sound/sound-export.js';
import {
  HISTORY_SECONDS,
  KEPT_SECONDS,
  SoundHistory,
  rangeOf,
} from '../../../public/ui/sound/sound-history.js';

const parts = { frameMs: 20, serverDelayMs: 60, wayMs: 5, playoutMs: 25, outputMs: 10 };

/**
 * @param {{ up?: number, down?: number, lost?: number, received?: number, server?: object | null }}
 *   [sums]
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
    expect(
      history.samples.map(({ second, upKbps, downKbps }) => [second, upKbps, downKbps]),
    ).toEqual([
      [0, null, null],
      [2, 20, 24],
    ]);
  });

  it('computes loss over the last five seconds, and uses the server’s value for the uplink', () => {
    const history = new SoundHistory();
    history.add(statsOf({ lost: 40, received: 0 }), 0);
    for (let i = 1; i <= 6; i++) history.add(statsOf({ lost: 40, received: 50 * i }), 1000 * i);
    expect(history.samples.at(-1)?.lostDownPercent).toBe(0);
    history.add(statsOf({ lost: 90, received: 500, server: { lostPercent5s: 1.5 } }), 7000);
    expect(history.samples.at(-1)).toMatchObject({
      lostDownPercent: (100 * 50) / 450,
      lostUpPercent: 1.5,
    });
  });

  it('starts over with a new connection, and forgets the old one', () => {
    const history = new SoundHistory();
    history.add(statsOf({ down: 5000, received: 100 }), 0);
    history.add(statsOf({ down: 10, received: 1 }), 1000);
    expect(history.samples.at(-1)).toMatchObject({ downKbps: null, lostDownPercent: null });
    for (let i = 0; i < 2 * HISTORY_SECONDS; i++)
      history.add(statsOf({ down: 100 * i + 20 }), 2000 + 1000 * i);
    expect(history.samples).toHaveLength(HISTORY_SECONDS);
    expect(history.kept).toHaveLength(2 * HISTORY_SECONDS + 2);
    for (let i = 0; i < KEPT_SECONDS; i++) history.add(statsOf({}), 500_000 + 1000 * i);
    expect(history.kept).toHaveLength(KEPT_SECONDS);
    history.clear();
    expect([history.samples, history.kept]).toEqual([[], []]);
  });
});

describe('the statistics of a call', () => {
  it('are saved as CSV and JSON, with nothing for what isn’t known', () => {
    const history = new SoundHistory();
    history.add(statsOf({ lost: 0, received: 0 }), 1000);
    history.add(statsOf({ lost: 1, received: 49 }), 2000);
    const exported = { room: 'tea', begun: '2026-11-29T10:00:00.000Z', samples: history.kept };
    const [head, first, second, end] = exportText('csv', exported).split('\r\n');
    expect(head.split(',')).toEqual(Object.keys(history.kept[0]));
    expect(first.startsWith('0,')).toBe(true);
    expect(first.split(',')[5]).toBe('');
    expect(Number(second.split(',')[5])).toBe(2);
    expect(end).toBe('');
    expect(JSON.parse(exportText('json', exported))).toEqual(exported);
  });
});

describe('the figures of a call’s sound', () => {
  const server = {
    receivedPercent: 99.5,
    receivedPercent10s: 98,
    lost: 1,
    late: 2,
    early: 3,
    duplicate: 4,
    concealed: 5,
    recovered: 6,
    jitterMs: 1.23,
    latenessBins: [6, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
  };
  const playout = {
    receivedPercent: 100,
    lost: 11,
    late: 12,
    duplicate: 14,
    concealed: 15,
    recovered: 16,
    wantedMs: 9.5,
    driftPpm: -3,
  };
  /** @type {any} */
  const stats = {
    ...statsOf(),
    receivedPercent: 97,
    detail: { server, playout, uplink: { driftPpm: 40 }, client: { gapMs: 37.6 } },
  };

  it('are the server’s of the way up and this one’s of the way down', () => {
    expect(figuresOf(stats).map(({ up, down }) => [up, down])).toEqual([
      ['99.5 %', '100.0 %'],
      ['98.0 %', '97.0 %'],
      ['1', '11'],
      ['2', '12'],
      ['3', '–'],
      ['4', '14'],
      ['5', '15'],
      ['6', '16'],
      ['–', '38 ms'],
      ['1.2 ms', '9.5 ms'],
      ['40.0 ppm', '-3.0 ppm'],
    ]);
    expect(figuresOf(statsOf()).every(({ up }) => up === '–')).toBe(true);
  });

  it('show lateness as shares, the last without an end, and nothing where nothing came', () => {
    const bins = latenessOf(stats);
    expect(bins).toHaveLength(14);
    expect([bins[0], bins[1], bins[13]]).toEqual([
      { name: 'up to 0 ms', share: 0.6 },
      { name: 'up to 5 ms', share: 0.3 },
      { name: 'more', share: 0.1 },
    ]);
    for (const latenessBins of [undefined, [], [1], new Array(14).fill(0)]) {
      expect(
        latenessOf({ ...stats, detail: { ...stats.detail, server: { latenessBins } } }),
      ).toEqual([]);
    }
  });
});

describe('the part of the delay that could be saved', () => {
  it('is what each part is longer than at best, the longest first, and nothing of the way', () => {
    expect(savingsOf(parts)).toEqual([
      { part: 'serverDelayMs', ms: 54 },
      { part: 'playoutMs', ms: 24 },
      { part: 'frameMs', ms: 18 },
      { part: 'outputMs', ms: 4 },
    ]);
    expect(
      savingsOf({ frameMs: 2.5, serverDelayMs: 43, wayMs: 40, playoutMs: 3, outputMs: NaN }),
    ).toEqual([]);
  });
});

describe('the report of a call’s sound', () => {
  it('says as text what the panel shows: the sum, its parts, the figures', () => {
    const history = new SoundHistory();
    history.add(statsOf(), 0);
    const report = soundReport({
      room: 'tea',
      stats: statsOf(),
      sample: history.samples[0],
      figures: [{ name: 'Late', up: '1', down: '2' }],
      at: 'noon',
    });
    expect(report).toBe(`aloud, room tea, noon
Connected over WebTransport
What you hear is 120 ms old
  Microphones of the others: –
  A frame is filled: 20 ms
  The codec looks ahead: –
  Server-side delay: 60 ms
  Late people are heard later by: –
  Way through the network: 5 ms
  Playout buffer: 25 ms
  Waiting for the sound card: 10 ms
  Sound card and speaker: –
This is without sound cards: your browser doesn’t tell what yours adds.
Round trip: 10 ms
Received audio: 99.9 %
Server-side delay: 60 ms
Playout delay: 25 ms
Lost packets, up: –
Lost packets, down: –
Bit rate, up: –
Bit rate, down: –
Late: up 1, down 2
`);
  });

  it('puts a dash where a number isn’t known', () => {
    for (const value of [null, undefined, NaN, Infinity]) expect(quantity(value, 'ms')).toBe('–');
    expect(quantity(0, '%', 1)).toBe('0.0 %');
  });

  it.each([
    [[null], { least: 20 }, [0, 25]],
    [[3, 96], { least: 20 }, [0, 150]],
    [[99, null], { least: 5, isPercent: true }, [95, 100]],
    [[71.2], { least: 5, isPercent: true }, [70, 100]],
  ])('gives the values %j an axis with room for them', (values, row, range) => {
    expect(rangeOf(values, row)).toEqual(range);
  });
});
