import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { formatCsv, formatJson } from '../../../public/lab/views/data-files.js';
import { LiveRun, SweepRun } from '../../../public/lab/runs/delay-run.js';
import { Measurements, addedUpMs, roundTripsMs } from '../../../public/lab/measurements.js';
import { RoundTripRun } from '../../../public/lab/runs/round-trip-run.js';
import { Conference } from '../../fakes/conference.js';
import { conferenceSockets } from '../../fakes/conference-socket.js';
import { PcmCodec } from '../../fakes/pcm-codec.js';

/**
 * A run in a conference on a fake clock.
 * @param {{ link?: Parameters<typeof conferenceSockets>[1], conference?: Conference }} [options]
 */
function laboratory({ link, conference = new Conference() } = {}) {
  const codec = new PcmCodec();
  /** @type {any[]} */
  const events = [];
  let rooms = 0;
  const options = {
    place: {
      origin: 'http://localhost',
      config: { transports: { websocket: { path: '/session' } } },
      clock: conference.clock,
      scope: { WebSocket: /** @type {any} */ (conferenceSockets(conference, link)) },
    },
    codec,
    newRoom: () => `lab-${rooms++}`,
    on: (/** @type {any} */ event) => void events.push(event),
  };
  /**
   * @param {{ run: () => Promise<void>, end: () => Promise<void> }} run
   * @param {(ms: number) => void} [onTime]
   * @returns duration in milliseconds
   */
  const pass = async (run, onTime = () => {}) => {
    const state = { isOver: false };
    const over = run
      .run()
      .then(() => run.end())
      .finally(() => void (state.isOver = true));
    let ms = 0;
    for (; !state.isOver && ms < 60_000; ms += 5) {
      await setImmediate();
      onTime(ms);
      conference.clock.advance(5);
    }
    await over;
    return ms;
  };
  const left = () => {
    // Packets on their way arrive.
    conference.clock.advance(2000);
    expect(conference.rooms.size).toBe(0);
    expect(conference.codec.open + codec.open).toBe(0);
    expect(conference.clock.waiting).toBe(0);
  };
  const told = (/** @type {string} */ type) => events.filter((event) => event.type === type);
  return { conference, options, events, told, pass, left };
}

/** @param {any[]} events */
function measurementsOf(events) {
  const measurements = new Measurements();
  for (const event of events) measurements.addToRoundTrips(event);
  return measurements;
}

describe('a run of round trips', () => {
  it('measures the link’s round trip, and the parts add up to the latency heard', async () => {
    const { options, events, told, pass, left } = laboratory({ link: { delayMs: () => 15 } });
    await pass(new RoundTripRun(options, { protocols: ['websocket'], durationMs: 3000 }));
    const run = measurementsOf(events).runs.get('websocket');
    if (!run) throw new Error('nothing was measured');
    const trips = roundTripsMs(run);
    expect(trips.length).toBe(run.roundTrips.length);
    expect(trips.length).toBeGreaterThan(2 * 130);
    for (const ms of trips) expect(ms).toBeCloseTo(30, 6);
    expect(new Set(run.roundTrips.map(({ client }) => client))).toEqual(new Set(['A', 'B']));
    for (const ms of addedUpMs(run)) expect(ms).toBeCloseTo(20 + 30 + 60, 6);
    expect(run.heard.length).toBeGreaterThan(80);
    expect(run.unknownPieces).toBe(0);
    for (const { latencyMs } of run.heard) {
      expect(latencyMs).toBeGreaterThan(109.8);
      // A timer may be a millisecond late; so is the packet that it sends, then.
      expect(latencyMs).toBeLessThan(111.3);
    }
    expect(told('opened')).toMatchObject([{ protocol: 'websocket', serverDelayMs: 60 }]);
    expect(told('joined')).toEqual([
      { type: 'joined', leaveUrl: '' },
      { type: 'joined', leaveUrl: '' },
    ]);
    expect(told('progress').at(-1).done).toBe(1);
    expect(told('turn')[0].startMs).toBe(0);
    left();
  });

  it('never waits for an answer, and counts as lost what isn’t answered within 2 s', async () => {
    let count = 0;
    const { options, events, pass, left } = laboratory({
      link: {
        delayMs: () => (count > 200 ? 700 : 5),
        loses: () => count++ > 200 && count % 10 === 0,
      },
    });
    await pass(new RoundTripRun(options, { protocols: ['websocket'], durationMs: 4000 }));
    const run = measurementsOf(events).runs.get('websocket');
    const a = run?.roundTrips.filter(({ client }) => client === 'A') ?? [];
    const frames = a.map(({ frame }) => frame).sort((x, y) => x - y);
    expect(frames).toEqual(Array.from({ length: frames.length }, (_, i) => frames[0] + i));
    expect(frames.length).toBeGreaterThan(180);
    const lost = a.filter(({ roundTripMs }) => roundTripMs === null).length;
    expect(lost).toBeGreaterThan(15);
    expect(lost).toBeLessThan(60);
    expect(Math.max(...a.map(({ roundTripMs }) => roundTripMs ?? 0))).toBeCloseTo(1400, 0);
    left();
  });

  it("leaves out what can't be opened, and says why", async () => {
    const { options, told, pass, left } = laboratory();
    await pass(
      new RoundTripRun(options, { protocols: ['webtransport', 'websocket'], durationMs: 1000 }),
    );
    expect(told('failed')).toEqual([
      { type: 'failed', protocol: 'webtransport', reason: 'The server does not offer it.' },
    ]);
    expect(told('answers').length).toBeGreaterThan(0);
    left();
  });

  it('ends with what it has when the server ends', async () => {
    const { conference, options, told, pass } = laboratory();
    const run = new RoundTripRun(options, { protocols: ['websocket'], durationMs: 20_000 });
    const tookMs = await pass(run, (ms) => ms === 3000 && conference.rooms.close());
    expect(told('failed')).toMatchObject([
      { protocol: 'websocket', reason: expect.stringMatching(/server/) },
    ]);
    expect(told('answers').length).toBeGreaterThan(5);
    expect(tookMs).toBeLessThan(5000);
  });

  it.each([0, 20, 150, 400, 2000])(
    'leaves nothing behind when it is stopped after %i ms',
    async (stopMs) => {
      const { options, pass, left, told } = laboratory({ link: { delayMs: () => 20 } });
      const run = new RoundTripRun(options, { protocols: ['websocket'], durationMs: 20_000 });
      const tookMs = await pass(run, (ms) => ms === stopMs && run.close());
      left();
      expect(told('failed')).toEqual([]);
      expect(tookMs).toBeLessThan(stopMs + 500);
    },
  );
});

describe('a run that moves the delay', () => {
  it('sweeps: what each hears is what reached the server by then', async () => {
    const { options, events, pass, left } = laboratory({ link: { delayMs: () => 15 } });
    const delaysMs = [0, 5, 8, 10, 12, 40];
    await pass(new SweepRun(options, { protocols: ['websocket'], delaysMs, dwellMs: 400 }));
    const measurements = new Measurements();
    for (const event of events) measurements.addToReceived(event);
    // A is half a frame ahead of B.
    const curves = /** @type {const} */ (['A', 'B']).map((client) =>
      measurements.receivedCurve('websocket', client),
    );
    expect([...curves[0].keys()]).toEqual(delaysMs);
    expect([...curves[0].values()].map(Math.round)).toEqual([0, 25, 40, 50, 60, 100]);
    expect([...curves[1].values()].map(Math.round)).toEqual([100, 100, 100, 100, 100, 100]);
    left();
  });

  it('follows somebody who moves it, until it is stopped', async () => {
    const { options, told, pass, left } = laboratory();
    const run = new LiveRun(options, { protocol: 'websocket', serverDelayMs: 100 });
    await pass(run, (ms) => {
      if (ms === 3000) run.setDelay(0);
      if (ms === 6000) run.close();
    });
    const a = told('heard').filter(({ client }) => client === 'A');
    const percent = (/** @type {any} */ { sentSamples, heardSamples }) =>
      Math.round((100 * heardSamples) / sentSamples);
    expect(percent(a.find(({ serverDelayMs }) => serverDelayMs === 100))).toBe(100);
    expect(percent(a.at(-1))).toBe(0);
    expect(a.at(-1).serverDelayMs).toBe(0);
    left();
  });
});

describe('the data', () => {
  const environment = {
    user_agent: 'A browser,\nwith a line',
    server_version: '0.1.0',
    measured_at: '2030-01-01',
  };

  async function measured() {
    let count = 0;
    const { options, events, pass } = laboratory({
      link: { delayMs: () => 2.5, loses: () => ++count % 50 === 0 },
    });
    await pass(new RoundTripRun(options, { protocols: ['websocket', 'http1'], durationMs: 1500 }));
    const measurements = measurementsOf(events);
    const span = { serverDelayMs: 8, atMs: 700, sentSamples: 960, heardSamples: 480 };
    for (const client of /** @type {const} */ (['A', 'B'])) {
      measurements.addToReceived({ type: 'heard', protocol: 'http1', client, ...span });
    }
    return measurements;
  }

  it('are all in the JSON, and in the CSV', async () => {
    const measurements = await measured();
    const trips = measurements.runs.get('websocket')?.roundTrips ?? [];
    const json = JSON.parse(formatJson(measurements, environment));
    expect(json.environment).toEqual(environment);
    expect(json.failures).toMatchObject([{ protocol: 'http1' }]);
    const run = json.round_trips.protocols.websocket;
    expect(run.samples.round_trip_ms.length).toBe(trips.length);
    expect(run.samples.at_ms.length).toBe(trips.length);
    expect(run.lost).toBe(trips.filter(({ roundTripMs }) => roundTripMs === null).length);
    expect(run.lost).toBeGreaterThan(0);
    expect(run.round_trip_ms).toMatchObject({ count: trips.length - run.lost, p50: 5 });
    expect(json.received_audio.spans.length).toBe(2);
    expect(json.received_audio.least_delay_ms.http1).toEqual([
      { percent: 90, a: null, b: null, both: null },
      { percent: 99, a: null, b: null, both: null },
    ]);

    const lines = formatCsv(measurements, environment).trimEnd().split('\r\n');
    expect(lines.slice(0, 3)).toEqual([
      '# user_agent: A browser, with a line',
      '# server_version: 0.1.0',
      '# measured_at: 2030-01-01',
    ]);
    const [head, ...rows] = lines.slice(3).map((line) => line.split(','));
    for (const row of rows) expect(row.length).toBe(head.length);
    const kinds = rows.map(([kind]) => kind);
    expect(kinds.filter((kind) => kind === 'round_trip').length).toBe(trips.length);
    expect(
      rows.filter((row) => row[0] === 'round_trip' && row[head.indexOf('round_trip_ms')] === '')
        .length,
    ).toBe(run.lost);
    expect(rows.at(-1)).toEqual([
      'received_audio',
      'http1',
      'B',
      '',
      '700',
      '',
      '',
      '8',
      '960',
      '480',
    ]);
    expect(kinds.filter((kind) => kind === 'heard_sound').length).toBe(run.heard.at_ms.length);
  });

  it("are forgotten when a new run begins, a sweep's only for its protocols", async () => {
    const measurements = await measured();
    expect(measurements.isEmpty).toBe(false);
    measurements.beginRoundTrips();
    measurements.beginSweep(['websocket']);
    expect(measurements.received.length).toBe(2);
    measurements.beginSweep(['http1']);
    expect(measurements.isEmpty).toBe(true);
  });
});
