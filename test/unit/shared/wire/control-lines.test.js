import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ControlLines, writeControlLine } from '../../../../public/shared/wire/control.js';

/** The longest line. */
const MAX_BYTES = 16 * 1024;

const utf8 = new TextEncoder();

/** Everything that a ControlLines said of the chunks that it was given. */
function read(/** @type {Uint8Array[]} */ chunks) {
  const messages = /** @type {unknown[]} */ ([]);
  const faults = /** @type {string[]} */ ([]);
  const lines = new ControlLines({
    maxBytes: MAX_BYTES,
    onMessage: (message) => messages.push(message),
    onError: (reason) => faults.push(reason),
  });
  for (const chunk of chunks) lines.push(chunk);
  return { messages, faults };
}

/** The bytes cut into pieces at these places. */
function cut(/** @type {Uint8Array} */ bytes, /** @type {number[]} */ places) {
  const ends = [...new Set(places.map((at) => at % (bytes.length + 1))), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end));
}

describe('ControlLines', () => {
  it('reads several messages of one chunk, in order', () => {
    expect(read([utf8.encode('{"a":1}\n{"b":2}\r\n[3]\n')])).toEqual({
      messages: [{ a: 1 }, { b: 2 }, [3]],
      faults: [],
    });
  });

  it('says nothing of a line that has not ended', () => {
    expect(read([utf8.encode('{"a":1}')])).toEqual({ messages: [], faults: [] });
  });

  it('reads any messages however the bytes are cut, inside characters too', () => {
    const messages = fc.array(
      fc.record({ type: fc.string({ unit: 'grapheme' }), value: fc.jsonValue() }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(messages, fc.array(fc.nat(), { maxLength: 40 }), (sent, places) => {
        const parts = sent.map((message) => writeControlLine(message));
        const bytes = new Uint8Array(Buffer.concat(parts));
        const got = read(cut(bytes, places));
        expect(got.faults).toEqual([]);
        expect(got.messages).toEqual(sent.map((message) => JSON.parse(JSON.stringify(message))));
      }),
    );
  });

  it('takes a line of exactly the limit, whole or byte by byte', () => {
    const line = utf8.encode(`"${'x'.repeat(MAX_BYTES - 2)}"\n`);
    expect(read([line]).messages).toHaveLength(1);
    expect(read([...line].map((byte) => Uint8Array.of(byte))).messages).toHaveLength(1);
  });

  it('refuses a line one byte above the limit, ended or not', () => {
    const line = utf8.encode(`"${'x'.repeat(MAX_BYTES - 1)}"\n`);
    for (const bytes of [line, line.subarray(0, -1)]) {
      expect(read([bytes])).toEqual({
        messages: [],
        faults: [expect.stringContaining(String(MAX_BYTES))],
      });
    }
    expect(read([line.subarray(0, 9000), line.subarray(9000)]).faults).toHaveLength(1);
  });

  it.each([
    ['no JSON', utf8.encode('{"a":\n')],
    ['an empty line', utf8.encode('\n')],
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22, 0x0a)],
    ['a byte order mark', utf8.encode('\ufeff{}\n')],
  ])('tells of %s once and reads no more', (_, bytes) => {
    const good = utf8.encode('{"a":1}\n');
    expect(read([good, bytes, good, bytes])).toEqual({
      messages: [{ a: 1 }],
      faults: [expect.any(String)],
    });
  });

  it('stops at close, also from within a message', () => {
    const seen = /** @type {unknown[]} */ ([]);
    const lines = new ControlLines({
      maxBytes: MAX_BYTES,
      onMessage: (message) => {
        seen.push(message);
        lines.close();
      },
      onError: () => seen.push('fault'),
    });
    lines.push(utf8.encode('1\n2\nx\n'));
    lines.push(utf8.encode('3\n'));
    expect(seen).toEqual([1]);
  });

  it('survives anything: it never throws, and no message comes after a fault', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (chunks) => {
        const order = /** @type {string[]} */ ([]);
        const lines = new ControlLines({
          maxBytes: MAX_BYTES,
          onMessage: () => order.push('message'),
          onError: () => order.push('fault'),
        });
        for (const chunk of chunks) lines.push(chunk);
        expect(order.lastIndexOf('message')).toBeLessThanOrEqual(
          order.includes('fault') ? order.indexOf('fault') : Infinity,
        );
        expect(order.filter((what) => what === 'fault').length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
