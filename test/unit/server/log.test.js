import { describe, expect, it } from 'vitest';
import { counted } from '../../../server/counts.js';
import { createLog, withFields } from '../../../server/log.js';

/** @typedef {NonNullable<Parameters<typeof createLog>[0]>} LogOptions */

/** @param {LogOptions} [options] */
function open(options) {
  /** @type {string[]} */
  const lines = [];
  let nowMs = 0;
  const log = createLog({
    write: (line) => lines.push(line),
    wallNow: () => 0,
    now: () => nowMs,
    ...options,
  });
  return { lines, log, pass: (/** @type {number} */ ms) => (nowMs += ms) };
}

/** @param {'error' | 'warn' | 'info' | 'debug'} level */
function linesAt(level) {
  const { lines, log } = open({ level });
  for (const each of /** @type {const} */ (['error', 'warn', 'info', 'debug']))
    log[each]({ event: 'test' }, `of ${each}`);
  return lines;
}

describe('the log', () => {
  it.each([
    [/** @type {const} */ ('error'), 1],
    [/** @type {const} */ ('warn'), 2],
    [/** @type {const} */ ('info'), 3],
    [/** @type {const} */ ('debug'), 4],
  ])('at %s writes %d of the four levels', (level, count) => {
    expect(linesAt(level)).toHaveLength(count);
  });

  it('writes the date and the level in front', () => {
    expect(linesAt('error')).toEqual(['1970-01-01T00:00:00.000Z error of error event="test"']);
  });

  it('keeps a message to its line, whatever a peer put into it', () => {
    const { lines, log } = open();
    log.warn({ event: 'test' }, 'name "a\r\n2026 error forged\u001b[31m\u2028b"');
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z warn name "a 2026 error forged [31m b" event="test"',
    ]);
  });

  it('writes fields behind the message, and keeps them to the line too', () => {
    const { lines, log } = open();
    log.info(
      { event: 'session-end', name: 'a\n\u009b31m"b', seconds: 1.5, why: null },
      'session ended',
    );
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z info session ended event="session-end" ' +
        String.raw`name="a\n\u009b31m\"b" seconds=1.5`,
    ]);
  });

  it('leaves out what says nothing for people, and nothing of JSON', () => {
    const fields = {
      event: 'session-end',
      late: 0,
      lost: 3,
      roundTripMs: null,
      bins: [0, 0],
      some: [0, 1],
      dropped: { early: 0, past: 2 },
      none: { early: 0 },
      why: '',
      isOn: false,
    };
    const text = open();
    text.log.info(fields, 'session ended');
    expect(text.lines).toEqual([
      '1970-01-01T00:00:00.000Z info session ended event="session-end" lost=3 some=[0,1] ' +
        'dropped={"past":2} isOn=false',
    ]);
    const json = open({ format: 'json' });
    json.log.info(fields, 'session ended');
    expect(JSON.parse(json.lines[0])).toMatchObject(fields);
  });

  it('writes JSON if asked: one object per line, with nothing that a terminal would obey', () => {
    const { lines, log } = open({ format: 'json' });
    log.error({ event: 'test', name: 'x\u009b\u2029\n', count: 3 }, 'failed: a\u001b[31m\u2028');
    // eslint-disable-next-line no-control-regex
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    expect(JSON.parse(lines[0])).toEqual({
      level: 'error',
      time: '1970-01-01T00:00:00.000Z',
      msg: 'failed: a [31m ',
      event: 'test',
      name: 'x\u009b\u2029\n',
      count: 3,
    });
  });

  it('cuts a flood, counts what it leaves out, and tells it with the next line', () => {
    const before = counted().leftOutLines;
    const { lines, log, pass } = open({ format: 'json' });
    for (let i = 0; i < 5000; i++) log.info({ event: 'session-end', i }, 'session ended');
    expect(lines).toHaveLength(2000);
    expect(counted().leftOutLines - before).toBe(3000);
    // Other events have their own share.
    log.info({ event: 'moderation' }, 'moderated');
    log.error({ event: 'recording-failed' }, 'recording could not be written');
    expect(lines).toHaveLength(2002);
    pass(1000);
    log.info({ event: 'session-end' }, 'session ended');
    expect(JSON.parse(lines[2002])).toMatchObject({ msg: 'session ended', leftOut: 3000 });
    log.info({ event: 'session-end' }, 'session ended');
    expect(JSON.parse(lines[2003])).not.toHaveProperty('leftOut');
  });

  it('lets one network have no other one’s lines left out, and nobody the operator’s', () => {
    const { lines, log, pass } = open();
    const act = (/** @type {string} */ by, /** @type {object} */ cause) => {
      const before = lines.length;
      for (let i = 0; i < 1000; i++) log.info({ event: 'moderation', by }, 'moderated', cause);
      return lines.length - before;
    };
    expect(act('a flooder', { network: '192.0.2.1' })).toBe(500);
    expect(act('a neighbour', { network: '198.51.100.7' })).toBe(500);
    expect(act('this machine', { network: null })).toBe(1000);
    expect(act('another', { network: '203.0.113.9' })).toBe(0);
    expect(act('the operator', { isLimited: false })).toBe(1000);
    pass(1000);
    expect(act('a flooder', { network: '192.0.2.1' })).toBe(5);
  });

  it('adds the fields that all lines of a part have, and the line’s own win', () => {
    const { lines, log } = open();
    const own = withFields(withFields(log, { node: 'n1' }), { room: 'tea' });
    own.warn({ event: 'test', participant: '7' }, 'told');
    own.error({ event: 'test', room: 'lab' }, 'told');
    expect(lines.map((line) => line.slice(25))).toEqual([
      'warn told node="n1" room="tea" event="test" participant="7"',
      'error told node="n1" room="lab" event="test"',
    ]);
  });
});
