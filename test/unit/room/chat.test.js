import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import {
  cleanText,
  cutCharacters,
  MAX_CHAT_CHARACTERS,
  readName,
} from '../../../public/shared/text.js';
import { Conference } from '../../fakes/conference.js';

/** @param {import('../../fakes/conference.js').Person} person @param {string} text */
const say = (person, text) => person.session.handler?.control({ type: 'chat', text });

/** @param {import('../../fakes/conference.js').Person} person */
const chatOf = (person) => person.session.told('chat').map(({ message }) => message);

describe("text of a person's", () => {
  it.each([
    ['Hello', 'Hello'],
    ['  two\r\nlines\rthree\u2028four  ', 'two\nlines\nthree\nfour'],
    ['<b>bold</b> & "so"', '<b>bold</b> & "so"'],
    ['a\u0000b\u0007c\u009fd\te', 'abcd e'],
    ['user\u202egpj.exe\u202c \u2066x\u2069', 'usergpj.exe x'],
    ['e\u0301', '\u00e9'],
    ['e\u202e\u0301', '\u00e9'],
    ['\ud800x\udc00', 'x'],
    ['👩‍👩‍👧 שלום\u200f!', '👩‍👩‍👧 שלום\u200f!'],
    ['a\n\n\n\n\nb', 'a\n\nb'],
    [' \n\u200b\u2060 ', ''],
    ['', ''],
  ])('%j becomes %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('has no heaps of marks, which take long to be put in order', () => {
    const heap = `a${'\u0315\u0300'.repeat(8000)}b`;
    expect(cleanText(heap) === `\u00e0${'\u0300'.repeat(14)}${'\u0315'.repeat(15)}b`).toBe(true);
    expect(cleanText(`a${'\u0344'.repeat(20)}`)).toBe(
      `\u00e4\u0301${'\u0308\u0301'.repeat(14)}\u0308`,
    );
  });

  it.each([
    ['heaps of marks', ('a' + '\u0301\u0327\u0323\u0345\u0315'.repeat(6)).repeat(260)],
    ['marks that are nearly a heap', ('a' + '\u0301\u0323'.repeat(14)).repeat(280)],
    ['one heap', 'a' + '\u0301\u0327\u0323\u0345\u0315'.repeat(1600)],
    ['marks that are composed of two', '\u0344'.repeat(8000)],
    ['marks of two units', '\u{1d165}\u{1d16d}'.repeat(2000)],
  ])('is put in order at once, with %s', (_what, text) => {
    const measure = (/** @type {() => unknown} */ run) => {
      const times = Array.from({ length: 20 }, () => {
        const started = performance.now();
        run();
        return performance.now() - started;
      });
      return Math.min(...times);
    };
    // The best of many, so that it is no other work of the machine's. A search for heaps from each
    // mark on took 10 ms.
    expect(measure(() => readName(text))).toBeLessThan(2);
    expect(measure(() => cleanText(text))).toBeLessThan(4);
  });

  it('is clean after cleaning, whatever it was', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.nat(0xffff).map((c) => String.fromCharCode(c)) }),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const clean = cleanText(text);
        expect(cleanText(clean)).toBe(clean);
        expect(clean).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069\p{Cs}]/u);
      }),
    );
  });

  it('is cut to the limit of characters, and never within one', () => {
    expect(cutCharacters('abc', 3)).toBe('abc');
    expect(cutCharacters('abcd', 3)).toBe('abc');
    expect(cutCharacters('😀😀😀😀', 3)).toBe('😀😀😀');
    expect(cutCharacters('ab👩‍👩‍👧', 4)).toBe('ab');
    expect(cutCharacters('👩‍👩‍👧', 2)).toBe('👩\u200d');
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 30 }),
        (text, most) => {
          const cut = cutCharacters(text, most);
          expect([...cut].length).toBeLessThanOrEqual(most);
          expect(text.startsWith(cut)).toBe(true);
        },
      ),
    );
  });
});

describe('chat', () => {
  it('reaches everybody in order, with number, label and time', async () => {
    const conference = new Conference({ wallNow: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    say(ann, 'one');
    say(bob, 'two');
    say(ann, ' ');
    say(ann, 'three');
    expect(chatOf(bob)).toEqual(chatOf(ann));
    expect(chatOf(ann)[0]).toEqual({
      number: 1,
      from: ann.id,
      name: 'Ann',
      text: 'one',
      at: '2026-01-02T03:04:05.000Z',
    });
    expect(chatOf(ann).map(({ number, name, text }) => [number, name, text])).toEqual([
      [1, 'Ann', 'one'],
      [2, 'Bob', 'two'],
      [3, 'Ann', 'three'],
    ]);
  });

  it('is sent to newcomers: the last two hundred messages', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    for (let i = 1; i <= 250; i++) {
      say(ann, `message ${i}`);
      conference.clock.advance(1000);
      await ann.speak(Math.floor(conference.sampleClock.now() / 960), null);
    }
    const { chat } = (await conference.join('Bob')).session.told('welcome')[0];
    expect(chat.map((/** @type {any} */ { number }) => number)).toEqual(
      Array.from({ length: 200 }, (_, i) => 51 + i),
    );
    expect(
      (await conference.join('Eve', { room: 'other' })).session.told('welcome')[0].chat,
    ).toEqual([]);
  });

  it('keeps a bounded number of bytes', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    for (let i = 0; i < 60; i++) {
      say(ann, '語'.repeat(2000));
      conference.clock.advance(1000);
      await ann.speak(Math.floor(conference.sampleClock.now() / 960), null);
    }
    const { chat } = (await conference.join('Bob')).session.told('welcome')[0];
    expect(chat.at(-1).number).toBe(60);
    expect(Buffer.byteLength(JSON.stringify(chat))).toBeLessThan(64 * 1024);
    expect(chat.length).toBe(10);
  });

  it('cuts what is too long, and says so', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    say(ann, 'x'.repeat(MAX_CHAT_CHARACTERS));
    say(ann, 'y'.repeat(MAX_CHAT_CHARACTERS + 1));
    const [whole, cut] = chatOf(ann);
    expect(whole.cut).toBeUndefined();
    expect(cut).toMatchObject({ text: 'y'.repeat(MAX_CHAT_CHARACTERS), cut: true });
  });

  it('lets five through at once and then one a second, and tells when', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
    for (let i = 1; i <= 7; i++) say(ann, `a${i}`);
    say(bob, 'b1');
    expect(chatOf(bob).map(({ text }) => text)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1']);
    expect(bob.session.told('refused')).toEqual([]);
    expect(ann.session.told('refused')).toMatchObject([
      { of: 'chat', code: 'chat-flood', retryMs: 1000 },
      { of: 'chat', code: 'chat-flood', retryMs: 1000, message: expect.stringMatching(/Wait/) },
    ]);
    conference.clock.advance(400);
    say(ann, 'too soon');
    expect(ann.session.told('refused').at(-1)).toMatchObject({ retryMs: 600 });
    conference.clock.advance(600);
    say(ann, 'in time');
    say(ann, 'too soon');
    expect(
      chatOf(bob)
        .map(({ text }) => text)
        .slice(6),
    ).toEqual(['in time']);
    expect(ann.session.closed).toBe(null);
  });

  it.each(['lives', 'was lost'])(
    'counts on over a return to a place whose session still %s',
    async (how) => {
      const conference = new Conference();
      const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
      for (let i = 1; i <= 5; i++) say(bob, `b${i}`);
      const { resume } = bob.session.told('welcome')[0];
      if (how === 'was lost') bob.session.close(errors['idle-timeout'].close, 'lost');
      const back = await conference.join('Bob', { resume });
      expect(back.id).toBe(bob.id);
      say(back, 'at once');
      expect(back.session.told('refused')).toMatchObject([
        { of: 'chat', code: 'chat-flood', retryMs: 1000 },
      ]);
      conference.clock.advance(1000);
      say(back, 'in time');
      expect(chatOf(ann).map(({ text }) => text)).toEqual([
        'b1',
        'b2',
        'b3',
        'b4',
        'b5',
        'in time',
      ]);
    },
  );

  it('and a hand, in a mirror, reach nobody else and end nothing', async () => {
    const conference = new Conference();
    const [ann, bob] = [
      await conference.join('Ann', { room: 'mirror' }),
      await conference.join('Bob', { mirror: true }),
    ];
    const before = ann.session.messages.length;
    say(bob, 'who is there?');
    for (const raised of [true, false, true])
      bob.session.handler?.control({ type: 'hand', raised });
    bob.session.handler?.control({ type: 'record', on: true });
    bob.session.handler?.control({ type: 'volume', person: bob.id, gain: 4 });
    expect(ann.session.messages.length).toBe(before);
    expect(chatOf(bob)).toMatchObject([{ number: 1, text: 'who is there?' }]);
    expect(bob.session.told('changed').at(-1).person.hand).toBeGreaterThan(0);
    expect(bob.session.closed).toBe(null);
    const { chat, people } = (await conference.join('Cid', { mirror: true })).session.told(
      'welcome',
    )[0];
    expect([chat, people.length]).toEqual([[], 1]);
  });
});
