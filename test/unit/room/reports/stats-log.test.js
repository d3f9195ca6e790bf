import { describe, expect, it } from 'vitest';
import { Conference } from '../../../fakes/conference.js';

/** @param {{ debug?: boolean }} [options] */
function logged({ debug = false } = {}) {
  /** @type {{ level: string, words: string, figures: any }[]} */
  const lines = [];
  const write =
    (/** @type {string} */ level) => (/** @type {any} */ figures, /** @type {string} */ words) => {
      lines.push({ level, words, figures });
    };
  return {
    lines,
    log: { error: write('error'), info: write('info'), ...(debug && { debug: write('debug') }) },
  };
}

describe('the log of how people are received', () => {
  it('has one line when a session ends: who, how long, why, and the figures', async () => {
    const { lines, log } = logged();
    const conference = new Conference({ log });
    const ann = await conference.join('Ann');
    for (let frame = 0; frame < 100; frame++) {
      conference.pass(1);
      if (frame % 10) await ann.speak(frame, 0.1);
      else await ann.lose(frame, 0.1);
    }
    ann.session.handler?.control({
      type: 'report',
      lostPercent: 1.5,
      playoutDelayMs: 61.234,
      soundLatencyMs: 95,
      driftPpm: -12,
    });
    ann.session.close(0, 'left');
    expect(lines.length).toBe(1);
    expect(lines[0]).toMatchObject({ level: 'info', words: 'session ended' });
    expect(lines[0].figures).toMatchObject({
      event: 'session-end',
      room: 'lab',
      participant: ann.id,
      name: 'Ann',
      peer: '192.0.2.1:1',
      seconds: 2,
      why: 'left',
      transport: 'webtransport',
      delivery: 'tick',
      received: 90,
      lost: 9,
      late: 0,
      serverDelayMs: 60,
      downLostPercent: 1.5,
      playoutDelayMs: 61.23,
      soundLatencyMs: 95,
      driftPpm: -12,
    });
  });

  it('rounds every number, so that it can be read', async () => {
    const { lines, log } = logged();
    const conference = new Conference({ log });
    const ann = await conference.join('Ann');
    conference.clock.advance(4873.725375000003);
    ann.session.close(0, 'left');
    const numbers = JSON.stringify(lines[0].figures).match(/-?\d+\.\d+(?=[,}\]])/g) ?? [];
    expect(lines[0].figures.seconds).toBe(4.87);
    for (const number of numbers) expect(number).toMatch(/^-?\d+\.\d{1,2}$/);
  });

  it.each([
    ['left', (/** @type {any} */ session) => session.close(0, 'left')],
    ['session-lost', (/** @type {any} */ session) => session.close(19, 'lost')],
    ['other', (/** @type {any} */ session) => session.close(999, 'a number of the peer’s own')],
    [
      'idle-timeout',
      (/** @type {any} */ _session, /** @type {Conference} */ conference) => conference.pass(600),
    ],
    [
      'server-closing',
      (/** @type {any} */ _session, /** @type {Conference} */ conference) =>
        conference.rooms.close(),
    ],
  ])('says that a session ended because of %s', async (why, end) => {
    const { lines, log } = logged();
    const conference = new Conference({ log });
    const { session } = await conference.join('Ann');
    end(session, conference);
    expect(lines.map(({ words, figures }) => [words, figures.why])).toEqual([
      ['session ended', why],
    ]);
  });

  it('has one line for each every ten seconds where those are wanted, and none else', async () => {
    const { lines, log } = logged({ debug: true });
    const conference = new Conference({ log, idleTimeoutMs: 1e9 });
    await conference.join('Ann');
    await conference.join('Bob');
    conference.pass(505);
    expect(lines.map(({ level, words }) => `${level} ${words}`)).toEqual([
      'debug session',
      'debug session',
    ]);
    const few = logged();
    const other = new Conference({ log: few.log, idleTimeoutMs: 1e9 });
    await other.join('Ann');
    other.pass(2000);
    expect(few.lines).toEqual([]);
  });
});

describe('a person’s reception', () => {
  it('is the same in the log, the room’s description and the person’s own stats', async () => {
    const { lines, log } = logged();
    const conference = new Conference({ log });
    const ann = await conference.join('Ann');
    for (let frame = 0; frame < 60; frame++) {
      conference.pass(1);
      await ann.speak(frame, 0.1);
    }
    const room = /** @type {import('../../../../server/room/room.js').Room} */ (
      conference.rooms.get('lab')
    );
    const described = room.describe().people[0].stats;
    const told = ann.session.messages.findLast(({ type }) => type === 'stats');
    ann.session.close(0, 'left');
    const fields = [
      'receivedPercent',
      'receivedPercent10s',
      'latenessBins',
      'lost',
      'late',
      'early',
      'duplicate',
      'concealed',
      'recovered',
      'roundTripMs',
      'jitterMs',
      'serverDelayMs',
      'playoutDelayMs',
      'soundLatencyMs',
      'driftPpm',
    ];
    for (const figures of [described, told, lines[0].figures])
      expect(Object.keys(figures)).toEqual(expect.arrayContaining(fields));
  });
});

describe('the client’s own report', () => {
  it('is in the stats; nonsense and values out of bounds are counted and ignored', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    const tell = (/** @type {object} */ report) =>
      ann.session.handler?.control({ type: 'report', ...report });
    expect(ann.stats()).toMatchObject({
      downLostPercent: null,
      playoutDelayMs: null,
      soundLatencyMs: null,
      driftPpm: null,
    });
    tell({ lostPercent: 0, playoutDelayMs: 40, driftPpm: 7 });
    tell({ lostPercent: 2, soundLatencyMs: 90 });
    const good = { downLostPercent: 2, playoutDelayMs: 40, soundLatencyMs: 90, driftPpm: 7 };
    expect(ann.stats()).toMatchObject(good);
    const wrong = [
      { lostPercent: -1 },
      { lostPercent: 101 },
      { lostPercent: NaN },
      { lostPercent: Infinity },
      { lostPercent: '5' },
      { lostPercent: null },
      {},
      { lostPercent: 1, playoutDelayMs: -1 },
      { lostPercent: 1, playoutDelayMs: 1e6 },
      { lostPercent: 1, soundLatencyMs: 'long' },
      { lostPercent: 1, driftPpm: 1e9 },
    ];
    for (const report of wrong) tell(report);
    expect(ann.stats()).toMatchObject({ ...good, dropped: { control: wrong.length } });
  });
});
