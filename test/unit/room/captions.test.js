import { describe, expect, it } from 'vitest';
import { MAX_CAPTION_LENGTH } from '../../../public/shared/limits.js';
import { Conference } from '../../fakes/conference.js';

/** @import { Person } from '../../fakes/conference.js' */

/** @param {Person} person @param {object} message */
const say = (person, message) => person.session.handler?.control(message);

/** @param {Person} person @param {{ want?: boolean, write?: boolean }} [wish] */
const ask = (person, { want = true, write } = {}) =>
  say(person, { type: 'captions', want, ...(write !== undefined && { write }) });

/** @param {Person} person @param {string} text @param {object} [more] */
const caption = (person, text, more = {}) =>
  say(person, { type: 'caption', text, lang: 'en', ...more });

/** @param {Person} person */
const captionsOf = (person) => person.session.told('caption').map(({ caption: one }) => one);

/** @param {Person} person */
const statesOf = (person) =>
  person.session.told('captions').map(({ on, writer }) => (on ? (writer ?? 'on') : 'off'));

/** @param {Person} person */
const refusalsOf = (person) => person.session.told('refused').map(({ code }) => code);

/** @param {object} [options]  of the conference */
async function roomOfThree(options) {
  const conference = new Conference(options);
  const ann = await conference.join('Ann');
  const bob = await conference.join('Bob');
  const cleo = await conference.join('Cleo');
  return { conference, ann, bob, cleo };
}

describe('captions', () => {
  it('go to those who want them, and to nobody else', async () => {
    const { ann, bob, cleo } = await roomOfThree();
    ask(bob);
    caption(ann, 'Hello  there', { final: false });
    expect(captionsOf(bob)).toEqual([
      { person: ann.id, from: ann.id, name: 'Ann', text: 'Hello there', lang: 'en', final: false },
    ]);
    expect([captionsOf(ann), captionsOf(cleo)]).toEqual([[], []]);
  });

  it('are on from the first wish to the last, which everybody is told, and newcomers', async () => {
    const { conference, ann, bob, cleo } = await roomOfThree();
    expect(statesOf(ann)).toEqual([]);
    ask(bob);
    ask(cleo);
    const dan = await conference.join('Dan');
    expect(statesOf(dan)).toEqual(['on']);
    ask(bob, { want: false });
    expect(statesOf(ann)).toEqual(['on']);
    cleo.session.handler?.closed(0, 'left');
    expect(statesOf(ann)).toEqual(['on', 'off']);
  });

  it('are wished for again by a session that replaces another', async () => {
    const { conference, ann, bob } = await roomOfThree();
    ask(bob);
    await conference.join('Bob', { resume: bob.session.told('welcome')[0].resume });
    expect(statesOf(ann)).toEqual(['on', 'off']);
  });

  it('of everybody are written by one program, whose name they have', async () => {
    const { ann, bob, cleo } = await roomOfThree();
    ask(bob);
    caption(cleo, 'not mine', { person: ann.id });
    expect(refusalsOf(cleo)).toEqual(['not-allowed']);
    ask(cleo, { want: false, write: true });
    expect(statesOf(ann)).toEqual(['on', cleo.id]);
    ask(ann, { write: true });
    expect(refusalsOf(ann)).toEqual(['captions-taken']);
    caption(cleo, 'Good morning', { person: ann.id });
    expect(captionsOf(bob)).toMatchObject([{ person: ann.id, name: 'Ann', by: 'Cleo' }]);
    cleo.session.handler?.closed(0, 'left');
    expect(statesOf(ann)).toEqual(['on', cleo.id, 'on']);
  });
});

describe('captions and groups', () => {
  it('go to readers of the speaker’s group alone', async () => {
    const { conference, ann, bob, cleo } = await roomOfThree();
    conference.rooms.get('lab')?.rules.groups.open(2, { evenly: false, choose: true });
    for (const [one, group] of /** @type {const} */ ([
      [ann, 1],
      [bob, 1],
    ]))
      say(one, { type: 'group', group });
    for (const one of [bob, cleo]) ask(one);
    conference.clock.advance(3000);
    caption(ann, 'Between us');
    expect(captionsOf(bob)).toMatchObject([{ text: 'Between us' }]);
    expect(captionsOf(cleo)).toEqual([]);
    ask(cleo, { write: true });
    caption(cleo, 'Not heard by me', { person: ann.id });
    expect(captionsOf(bob)).toHaveLength(1);
  });
});

describe('captions and moves', () => {
  /** Ann and Bob in group 1, Cleo in the room; all read captions. */
  async function begin() {
    const room = await roomOfThree({ idleTimeoutMs: 1_000_000 });
    const { conference, ann, bob, cleo } = room;
    conference.rooms.get('lab')?.rules.groups.open(2, { evenly: false, choose: true });
    for (const one of [ann, bob]) say(one, { type: 'group', group: 1 });
    for (const one of [ann, bob, cleo]) ask(one);
    conference.clock.advance(60_000);
    return room;
  }

  it('leave out what was said in a group and is written after it', async () => {
    const { conference, ann, bob, cleo } = await begin();
    caption(ann, 'A secret', { final: false, seconds: 3 });
    say(ann, { type: 'group', group: 0 });
    conference.clock.advance(1500);
    caption(ann, 'A secret of the two of us', { seconds: 4 });
    // Recognisers need a moment, and a program may tell no time.
    caption(ann, 'A secret without its time');
    expect(captionsOf(cleo)).toEqual([]);
    expect(captionsOf(bob)).toMatchObject([{ text: 'A secret' }]);
    conference.clock.advance(5000);
    caption(ann, 'Hello', { seconds: 2 });
    expect(captionsOf(cleo)).toMatchObject([{ text: 'Hello' }]);
  });

  it('leave it out where a program writes it, too, or the speaker was away', async () => {
    const { conference, ann, bob, cleo } = await begin();
    ask(bob, { write: true });
    say(ann, { type: 'group', group: 0 });
    say(bob, { type: 'group', group: 0 });
    caption(bob, 'Said in the group', { person: ann.id, seconds: 2 });
    expect(captionsOf(cleo)).toEqual([]);
    say(ann, { type: 'group', group: 1 });
    ann.session.close(19, 'lost');
    say(cleo, { type: 'group', group: 1 });
    conference.rooms.get('lab')?.rules.groups.callBack(0);
    const back = await conference.join('Ann', { resume: ann.session.told('welcome')[0].resume });
    caption(back, 'Said in the group', { seconds: 5 });
    expect(captionsOf(cleo)).toEqual([]);
  });
});

describe('captions and roles', () => {
  it('are asked of a listener who may speak now', async () => {
    const { conference, ann, bob } = await roomOfThree();
    const eve = await conference.join('Eve', { listen: true });
    ask(bob);
    expect(statesOf(eve)).toEqual([]);
    say(ann, { type: 'moderate', action: 'role', person: eve.id, role: 'speaker' });
    expect(statesOf(eve)).toEqual(['on']);
    caption(eve, 'Hello');
    expect(captionsOf(bob)).toMatchObject([{ text: 'Hello' }]);
  });

  it('have no writer any more once they may not speak', async () => {
    const { ann, bob, cleo } = await roomOfThree();
    ask(bob);
    ask(cleo, { write: true });
    say(ann, { type: 'moderate', action: 'role', person: cleo.id, role: 'listener' });
    expect(statesOf(ann)).toEqual(['on', cleo.id, 'on']);
    ask(bob, { write: true });
    expect(statesOf(ann).at(-1)).toBe(bob.id);
  });

  it('aren’t read by members who may not hear', async () => {
    const { conference, ann, bob } = await roomOfThree();
    const tune = await conference.join('Tune', { owner: bob.session.told('welcome')[0].resume });
    ask(tune);
    ask(bob);
    caption(ann, 'Hello');
    expect(refusalsOf(tune)).toEqual(['not-allowed']);
    expect([captionsOf(tune).length, captionsOf(bob).length]).toEqual([0, 1]);
  });
});

describe('captions for an audience', () => {
  it('come a part at a time, so that they delay no mix, and in order', async () => {
    const conference = new Conference({ maxParticipants: 100 });
    const ann = await conference.join('Ann');
    const audience = /** @type {Person[]} */ ([]);
    for (let i = 0; i < 80; i++) audience.push(await conference.join(`Lis ${i}`, { listen: true }));
    const [first, ...others] = audience;
    for (const one of others) ask(one);
    const count = () => audience.filter((one) => captionsOf(one).length > 0).length;
    caption(ann, 'One');
    caption(ann, 'Two');
    expect(count()).toBeLessThanOrEqual(32);
    conference.clock.advance(200);
    for (const one of others)
      expect(captionsOf(one).map(({ text }) => text)).toEqual(['One', 'Two']);
    expect(captionsOf(first)).toEqual([]);
  });
});

describe('a caption is refused, and the call goes on,', () => {
  it('while nobody wants captions', async () => {
    const { ann, bob } = await roomOfThree();
    caption(ann, 'Hello');
    ask(bob);
    ask(bob, { want: false });
    caption(ann, 'Hello');
    expect(refusalsOf(ann)).toEqual(['captions-off', 'captions-off']);
    expect(captionsOf(bob)).toEqual([]);
  });

  it('when it is too long', async () => {
    const { ann, bob } = await roomOfThree();
    ask(bob);
    caption(ann, '𝄞'.repeat(MAX_CAPTION_LENGTH));
    caption(ann, 'x'.repeat(MAX_CAPTION_LENGTH + 1));
    expect(refusalsOf(ann)).toEqual(['caption-long']);
    expect(captionsOf(bob)).toHaveLength(1);
  });

  it('when there are too many, counted for each speaker that a program writes of', async () => {
    const { conference, ann, bob, cleo } = await roomOfThree();
    ask(bob, { write: true });
    for (let i = 0; i < 6; i++) caption(ann, `own ${i}`);
    for (let i = 0; i < 6; i++) caption(bob, `of Cleo ${i}`, { person: cleo.id });
    caption(bob, 'of Ann', { person: ann.id });
    expect([refusalsOf(ann), refusalsOf(bob)]).toEqual([['chat-flood'], ['chat-flood']]);
    expect(captionsOf(bob)).toHaveLength(11);
    conference.clock.advance(1000);
    caption(ann, 'again');
    expect(captionsOf(bob)).toHaveLength(12);
  });

  it('from listeners, and from people whom a moderator has muted', async () => {
    const { conference, ann, bob } = await roomOfThree();
    const eve = await conference.join('Eve', { listen: true });
    ask(bob);
    caption(eve, 'Hello');
    ask(eve, { write: true });
    say(ann, { type: 'moderate', action: 'mute', person: bob.id, muted: true });
    caption(bob, 'Hello');
    expect(refusalsOf(eve)).toEqual(['not-allowed', 'not-allowed']);
    expect(refusalsOf(bob)).toEqual(['muted-by-moderator']);
  });

  it.each([
    ['without text', { text: undefined }],
    ['with nothing but spaces', { text: ' \u200b\n' }],
    ['with text and sealed text', { sealed: 'AAAA' }],
    ['sealed in a room that is not', { text: undefined, sealed: 'AAAA' }],
    ['with a text beyond all bounds', { text: 'x'.repeat(2001) }],
    ['in a language that is none', { lang: 'en_GB' }],
    ['in a language whose name is too long', { lang: 'x'.repeat(36) }],
    ['longer than a minute', { seconds: 61 }],
    ['of somebody who is not there', { person: '99' }],
  ])('%s, and counted', async (_what, fields) => {
    const { ann, bob } = await roomOfThree();
    ask(bob);
    ask(ann, { write: true });
    caption(ann, 'Hello', fields);
    expect(captionsOf(bob)).toEqual([]);
    expect(ann.stats()).toMatchObject({ dropped: { control: 1 } });
  });

  it('in clear in a room with end-to-end encryption', async () => {
    const conference = new Conference();
    const ann = await conference.join('Ann', { e2e: true });
    const bob = await conference.join('Bob', { e2e: true });
    ask(bob);
    caption(ann, 'Hello');
    say(ann, { type: 'caption', sealed: 'AAAA', lang: 'en' });
    expect(captionsOf(bob)).toMatchObject([{ sealed: 'AAAA', from: ann.id }]);
    expect(captionsOf(bob)[0]).not.toHaveProperty('text');
  });
});
