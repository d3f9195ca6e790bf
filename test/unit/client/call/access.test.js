import { describe, expect, it } from 'vitest';
import { isAllowed, NO_ACCESS } from '../../../../public/client/call/call-view.js';
import { CallState } from '../../../../public/client/call/call-state.js';

const rules = {
  locked: false,
  lobby: false,
  password: false,
  chat: 'everybody',
  record: 'everybody',
  mode: 'mix',
  broadcast: false,
  liveSeconds: null,
  liveSince: null,
  languages: [],
  groups: null,
};
const welcome = {
  type: 'welcome',
  you: '2',
  role: 'speaker',
  may: ['speak', 'listen'],
  rules,
  people: [{ id: '1' }, { id: '2', silenced: true }],
};

/** Access by the messages of the server. */
class AccessState {
  #call;

  /** @param {() => number} [now] */
  constructor(now) {
    this.#call = new CallState(now);
  }

  get state() {
    return this.#call.view.access;
  }

  /** @param {object} message @returns {boolean} true when the access has changed */
  update(message) {
    return 'access' in this.#call.apply(/** @type {any} */ (message));
  }
}

describe('access by messages', () => {
  it('follows the lobby, the welcome, roles and rules', () => {
    const access = new AccessState();
    expect(access.update({ type: 'lobby', waitMs: 1 })).toBe(true);
    expect(access.state.waiting).toBe(true);
    access.update(welcome);
    expect(access.state).toMatchObject({
      waiting: false,
      role: 'speaker',
      may: ['speak', 'listen'],
      silenced: true,
      rules,
    });
    access.update({ type: 'room', ...rules, locked: true, chat: 'moderators' });
    expect(access.state.rules).toEqual({ ...rules, locked: true, chat: 'moderators' });
    access.update({
      type: 'moderated',
      action: 'role',
      role: 'moderator',
      may: ['moderate'],
      by: null,
    });
    access.update({ type: 'knocks', people: [{ id: '1', name: 'Eve' }] });
    access.update({ type: 'bans', bans: [{ id: '7' }] });
    expect(access.state).toMatchObject({
      role: 'moderator',
      may: ['moderate'],
      knocks: [{ id: '1', name: 'Eve' }],
      bans: [{ id: '7' }],
    });
  });

  it('has the key of a broadcast’s stage while one is on it', () => {
    const access = new AccessState();
    access.update(welcome);
    access.update({ type: 'room', ...rules, broadcast: true, liveSeconds: 5 });
    access.update({ type: 'stage', key: 'KEY' });
    expect(access.state).toMatchObject({
      stage: 'KEY',
      rules: { broadcast: true, liveSeconds: 5 },
    });
    access.update({
      type: 'moderated',
      action: 'role',
      role: 'listener',
      may: ['listen'],
      by: 'Ann',
    });
    expect(access.state.stage).toBe('');
    access.update({ type: 'room', ...rules, liveSeconds: 'long' });
    expect(access.state.rules.liveSeconds).toBe(null);
  });

  it('knows when a broadcast began, whatever else changes later', () => {
    let nowMs = 1_000_000;
    const access = new AccessState(() => nowMs);
    access.update({ ...welcome, rules: { ...rules, liveSeconds: 5 } });
    expect(access.state.rules.liveSince).toBe(995_000);
    nowMs += 60_000;
    access.update({ type: 'hands', count: 1, people: [] });
    expect(access.state.rules.liveSince).toBe(995_000);
    access.update({ type: 'room', ...rules, locked: true, liveSeconds: 65 });
    expect(access.state.rules.liveSince).toBe(995_000);
    access.update({ type: 'room', ...rules });
    expect(access.state.rules.liveSince).toBe(null);
  });

  it('has the room’s groups while there are some, whatever a server says of them', () => {
    const access = new AccessState(() => 1_000_000);
    const groups = { count: 3, choose: true, secondsLeft: 30, speaker: '1' };
    access.update({ ...welcome, rules: { ...rules, groups } });
    expect(access.state.rules.groups).toEqual({
      count: 3,
      choose: true,
      endsAt: 1_030_000,
      speaker: '1',
    });
    access.update({ type: 'room', ...rules, groups: { count: 1e9, secondsLeft: 'soon' } });
    expect(access.state.rules.groups).toEqual({
      count: 20,
      choose: false,
      endsAt: null,
      speaker: null,
    });
    access.update({ type: 'room', ...rules, groups: undefined });
    expect(access.state.rules.groups).toBe(null);
  });

  it('changes with oneself, and with nobody else', () => {
    const access = new AccessState();
    access.update(welcome);
    expect(access.update({ type: 'changed', person: { id: '1', silenced: false } })).toBe(false);
    expect(access.update({ type: 'changed', person: { id: '2', silenced: true } })).toBe(false);
    expect(access.update({ type: 'changed', person: { id: '2', silenced: false } })).toBe(true);
    expect(access.state.silenced).toBe(false);
    expect(access.update({ type: 'moderated', action: 'muted', by: 'Ann' })).toBe(false);
    expect(
      access.update({ type: 'changed', people: [{ id: '1' }, { id: '2', silenced: true }] }),
    ).toBe(true);
    expect(access.state.silenced).toBe(true);
  });

  it('has the hands of the audience, and the page of it that was asked for last', () => {
    const access = new AccessState();
    access.update(welcome);
    access.update({ type: 'hands', count: 60, people: [{ id: '9', label: 'Lea', hand: 1 }] });
    access.update({
      type: 'audience',
      find: 'le',
      count: 200,
      people: [{ id: '9', label: 'Lea' }],
      next: '9',
    });
    expect(access.state).toMatchObject({
      hands: { count: 60, people: [{ id: '9' }] },
      audience: { find: 'le', count: 200, next: '9' },
    });
    access.update({ type: 'audience', people: 5, next: 7 });
    expect(access.state.audience).toEqual({ find: '', count: 0, people: [], next: null });
    access.update({ type: 'moderated', action: 'role', role: 'speaker', may: ['speak'] });
    expect(access.state.hands).toEqual({ count: 0, people: [] });
  });

  it('forgets knocks when the role changes, and a new moderator gets the list again', () => {
    const access = new AccessState();
    access.update(welcome);
    access.update({
      type: 'moderated',
      action: 'role',
      role: 'moderator',
      may: ['moderate'],
      by: null,
    });
    access.update({ type: 'knocks', people: [{ id: '1', name: 'Eve' }] });
    access.update({
      type: 'moderated',
      action: 'role',
      role: 'speaker',
      may: ['speak'],
      by: 'Ann',
    });
    access.update({
      type: 'moderated',
      action: 'role',
      role: 'moderator',
      may: ['moderate'],
      by: 'Ann',
    });
    expect(access.state.knocks).toEqual([]);
  });

  it('says what one may do now, by one’s permissions and the room’s rules', () => {
    const state = NO_ACCESS;
    const speaker = { ...state, role: 'speaker', may: ['speak', 'listen', 'chat'] };
    const all = /** @type {const} */ (['speak', 'chat', 'record']);
    expect(all.map((what) => isAllowed(speaker, what))).toEqual([true, true, false]);
    const closed = {
      ...speaker,
      may: [...all],
      rules: {
        ...state.rules,
        chat: /** @type {const} */ ('moderators'),
        record: /** @type {const} */ ('moderators'),
      },
    };
    expect(all.map((what) => isAllowed(closed, what))).toEqual([true, false, false]);
    expect(all.map((what) => isAllowed({ ...closed, role: 'moderator' }, what))).toEqual([
      true,
      true,
      true,
    ]);
    expect(all.map((what) => isAllowed({ ...closed, role: 'moderator', may: [] }, what))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('bears a server that tells nothing of it, or nonsense', () => {
    const access = new AccessState();
    access.update({ type: 'welcome', you: '1' });
    expect(access.state).toMatchObject({ role: 'speaker', may: [], rules });
    for (const type of ['room', 'knocks', 'bans', 'moderated', 'changed', 'lobby'])
      access.update({ type, people: 1, bans: 'x', person: null, action: 'role', may: 5 });
    expect(access.state).toMatchObject({ knocks: [], bans: [], may: [], rules });
  });
});
