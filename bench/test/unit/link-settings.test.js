import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINK_PROFILES, linkProfile } from '../../link/profiles.js';
import { parseLink, parseSteps, toWords } from '../../link/settings.js';

/** Each number that the emulator knows, with its largest value. */
function emulatorNumbers() {
  const source = readFileSync(new URL('../../link/src/settings.rs', import.meta.url), 'utf8');
  const rows = [...source.matchAll(/"(\w+)" => \(&mut self\.\w+, 0\.0, ([\w.]+)\)/g)];
  return rows.map(([, name, max]) => ({
    name,
    max: max === 'MAX_MS' ? 60_000 : Number(max.replaceAll('_', '')),
  }));
}

describe('parseLink', () => {
  it('gives settings for both directions to both, those of one direction coming first', () => {
    const link = parseLink({
      delayMs: 20,
      lossPercent: 1,
      up: { lossPercent: 5 },
      down: { rateBits: 1e6 },
    });
    expect(link).toEqual({
      up: { delayMs: 20, lossPercent: 5 },
      down: { delayMs: 20, lossPercent: 1, rateBits: 1e6 },
    });
  });

  it.each([
    [{ delayMs: -1 }, /delayMs must be a number from 0 to 60000/],
    [{ delayMs: '20' }, /delayMs/],
    [{ delayMs: NaN }, /delayMs/],
    [{ up: { lossPercent: 101 } }, /lossPercent must be a number from 0 to 100/],
    [{ jitter: 'cauchy' }, /jitter must be one of none, uniform/],
    [{ jitterTable: [3, 2] }, /jitterTable must be a rising list/],
    [{ jitterTable: [1] }, /jitterTable/],
    [{ reorder: 1 }, /reorder must be true or false/],
    [{ speed: 1 }, /no setting speed/],
    [{ up: 5 }, /up must be an object/],
    [null, /the link must be an object/],
    [[], /the link must be an object/],
  ])('refuses %j', (value, message) => {
    expect(() => parseLink(value)).toThrow(message);
  });

  it('refuses whatever else with a TypeError or a RangeError', () => {
    const keys = fc.constantFrom(
      'delayMs',
      'up',
      'down',
      'jitterTable',
      'reorder',
      'jitter',
      'x',
      '__proto__',
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.dictionary(keys, fc.anything())), (value) => {
        try {
          parseLink(value);
        } catch (error) {
          expect(error).toSatisfy((e) => e instanceof TypeError || e instanceof RangeError);
        }
      }),
    );
  });
});

describe('parseSteps', () => {
  it('puts them in order', () => {
    const steps = parseSteps([
      { atMs: 900, changes: { up: { rateBits: 0 } } },
      { atMs: 100, changes: { delayMs: 5 } },
    ]);
    expect(steps).toEqual([
      { atMs: 100, up: { delayMs: 5 }, down: { delayMs: 5 } },
      { atMs: 900, up: { rateBits: 0 }, down: {} },
    ]);
  });

  it.each([
    [{}, /must be a list/],
    [[{ atMs: -1, changes: {} }], /step 1: atMs/],
    [[{ atMs: 0, changes: {} }, { changes: {} }], /step 2: atMs/],
    [[{ atMs: 0, change: {} }], /there is no change/],
    [[{ atMs: 0 }], /must be an object/],
    [[{ atMs: 0, changes: { speed: 1 } }], /no setting speed/],
    [new Array(10_001).fill({ atMs: 0, changes: {} }), /10000 steps at most/],
  ])('refuses %j', (value, message) => {
    expect(() => parseSteps(value)).toThrow(message);
  });
});

describe('toWords', () => {
  it('writes what the emulator reads', () => {
    const words = toWords({
      up: { jitter: 'table', jitterTable: [0, 1.5], reorder: true },
      down: { rateBits: 1e11 },
    });
    expect(words).toEqual([
      'up.jitter=table',
      'up.jitterTable=0,1.5',
      'up.reorder=1',
      'down.rateBits=100000000000',
    ]);
  });
});

describe('the limits', () => {
  it("are the emulator's own", () => {
    const numbers = emulatorNumbers();
    expect(numbers.length).toBe(20);
    for (const { name, max } of numbers.filter((row) => row.name !== 'reorder')) {
      expect(() => parseLink({ [name]: max }), name).not.toThrow();
      expect(() => parseLink({ [name]: max * 1.001 }), name).toThrow(RangeError);
    }
  });
});

describe('the profiles', () => {
  it('are all there, and each can be read', () => {
    const names = [
      'loopback',
      'clear',
      'thesis',
      'lan',
      'home-wifi',
      '4g',
      'bad-wifi',
      'even-60',
      'thin',
      'satellite',
    ];
    expect(Object.keys(LINK_PROFILES)).toEqual(names);
    for (const { settings } of Object.values(LINK_PROFILES))
      expect(() => parseLink(settings ?? {})).not.toThrow();
  });

  it('say which there are when there is none of a name', () => {
    expect(() => linkProfile('lte')).toThrow(/no link lte, only loopback, clear, thesis/);
    expect(() => linkProfile('toString')).toThrow(RangeError);
  });
});
