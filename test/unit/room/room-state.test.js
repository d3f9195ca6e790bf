import { describe, expect, it } from 'vitest';
import { ResumeTokens } from '../../../server/access/resume-token.js';
import { Conference } from '../../fakes/conference.js';

/**
 * A thread's rooms: all threads of a server sign resume tokens with one key.
 * @param {ConstructorParameters<typeof Conference>[0]} [options]
 */
const create = (options) =>
  new Conference({ tokens: new ResumeTokens({ key: "the server's" }), ...options });

/** A room's state as it goes to another thread. @param {Conference} conference */
const stateOf = (conference) =>
  structuredClone(/** @type {any} */ (conference.rooms.get('lab')).state());

/** A room of two with chat, a hand, a mute and rules. */
async function open() {
  const conference = create();
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  ann.session.handler?.control({ type: 'chat', text: 'hello' });
  bob.session.handler?.control({ type: 'hand', raised: true });
  bob.session.handler?.control({ type: 'mute', muted: true });
  conference.rooms.get('lab')?.rules.moderation.lock(true, { id: 'operator', label: 'operator' });
  const tokens = [ann, bob].map(({ session }) => session.told('welcome')[0].resume);
  return { conference, tokens };
}

describe('a room that is opened again from its state', () => {
  it('has its people back at their places, with all that was theirs', async () => {
    const { conference, tokens } = await open();
    const again = create();
    again.rooms.restore(stateOf(conference));
    expect(again.rooms.get('lab')?.people).toMatchObject({ here: 0, away: 2 });
    const bob = await again.join('Bob', { resume: tokens[1] });
    const [welcome] = bob.session.told('welcome');
    expect(welcome).toMatchObject({
      you: '2',
      room: 'lab',
      rules: { locked: true },
      chat: [{ number: 1, text: 'hello', from: '1', name: 'Ann' }],
    });
    expect(welcome.people).toMatchObject([
      { id: '1', name: 'Ann', away: true, role: 'moderator', hand: 0, muted: false },
      { id: '2', name: 'Bob', away: false, role: 'speaker', hand: 1, muted: true },
    ]);
    expect(welcome.resume).toBe(tokens[1]);
    const ann = await again.join('Ann', { resume: tokens[0] });
    expect(ann.session.told('welcome')[0]).toMatchObject({ you: '1', role: 'moderator' });
    ann.session.handler?.control({ type: 'chat', text: 'again' });
    expect(bob.session.told('chat').at(-1).message).toMatchObject({ number: 2, text: 'again' });
  });

  it('admits the same people as before and nobody else, and gives no id twice', async () => {
    const { conference } = await open();
    const again = create();
    again.rooms.restore(stateOf(conference));
    expect((await again.join('Eve')).session.told('refused')).toMatchObject([
      { code: 'room-locked' },
    ]);
    expect(
      (await again.join('Eve', { resume: 'x'.repeat(22) })).session.told('refused'),
    ).toMatchObject([{ code: 'room-locked' }]);
    again.rooms.get('lab')?.rules.moderation.lock(false, { id: 'operator', label: 'operator' });
    expect((await again.join('Ann')).session.told('welcome')[0]).toMatchObject({
      you: '3',
      people: [{}, {}, { label: 'Ann (2)' }],
    });
  });

  it('ends when nobody comes back to it', async () => {
    const { conference } = await open();
    const again = create();
    again.rooms.restore(stateOf(conference));
    again.clock.advance(30_000);
    expect(again.rooms.size).toBe(0);
    expect(again.rooms.people).toBe(0);
  });

  it('can be kept and opened once more before anybody has come', async () => {
    const { conference } = await open();
    const [first, second] = [create(), create()];
    first.rooms.restore(stateOf(conference));
    expect(
      stateOf(first).people.map((/** @type {any} */ { id, hand, muted }) => [id, hand, muted]),
    ).toEqual([
      ['1', 0, false],
      ['2', 1, true],
    ]);
    second.rooms.restore(stateOf(first));
    second.rooms.restore(stateOf(first));
    expect(second.rooms.get('lab')?.size).toBe(2);
  });

  it('stays shut where its password was not known yet', async () => {
    const { conference } = await open();
    const state = stateOf(conference);
    const again = create();
    again.rooms.restore({
      ...state,
      rules: { ...state.rules, locked: false, password: true },
      password: null,
    });
    expect((await again.join('Eve')).session.told('refused')).toMatchObject([
      { code: 'room-locked' },
    ]);
  });

  it('leaves nothing where its state is at fault', async () => {
    const { conference } = await open();
    const state = stateOf(conference);
    const again = create();
    const before = again.clock.waiting;
    state.people[1].grant = null;
    expect(() => again.rooms.restore(state)).toThrow();
    expect([again.rooms.size, again.rooms.stats().away]).toEqual([0, 0]);
    expect(again.clock.waiting).toBe(before);
  });

  it('is forwarded, and encrypted, as it was', async () => {
    const conference = create();
    const ann = await conference.join('Ann', { e2e: true });
    const again = create();
    again.rooms.restore(stateOf(conference));
    const back = await again.join('Ann', {
      e2e: true,
      resume: ann.session.told('welcome')[0].resume,
    });
    expect(back.session.told('welcome')[0]).toMatchObject({
      you: '1',
      e2e: true,
      rules: { mode: 'forward' },
    });
  });
});
