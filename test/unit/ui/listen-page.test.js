import { expect, it, vi } from 'vitest';
import { NO_CALL } from '../../../public/client/call/call-view.js';
import { ListenPage } from '../../../public/listen/listen-page.js';

/** Messages that the page has sent, and whether it shows the hand as raised. */
const page = vi.hoisted(() => ({
  sent: /** @type {any[]} */ ([]),
  hand: false,
  /** @type {any} */
  actions: null,
  /** @type {any} */
  on: null,
}));

/** @param {Record<string, Function>} [methods]  the others do nothing */
const standIn = (methods = {}) =>
  new Proxy({}, { get: (_, name) => methods[String(name)] ?? (() => {}) });

vi.mock('../../../public/listen/listen-view.js', () => ({
  /** @param {string} _room @param {object} _address @param {object} actions */
  ListenView: function ListenView(_room, _address, actions) {
    page.actions = actions;
    return standIn({ hand: (/** @type {boolean} */ raised) => (page.hand = raised) });
  },
}));
vi.mock('../../../public/listen/media-controls.js', () => ({
  MediaControls: function MediaControls() {
    return standIn();
  },
}));
vi.mock('../../../public/listen/listening.js', () => ({
  Listening: class {
    /** @param {object} _address @param {object} on */
    constructor(_address, on) {
      page.on = on;
    }

    /** @param {object} message */
    send(message) {
      page.sent.push(message);
      return true;
    }
  },
}));

/** The page of somebody who listens in the place `you`, with these hands. */
function listen() {
  new ListenPage(/** @type {any} */ ({ room: 'tea' }));
  let now = NO_CALL;
  const become = (/** @type {object} */ changes) => {
    const before = now;
    now = { ...now, ...changes };
    page.on.changed(now, before);
  };
  return {
    away: () => become({ state: 'away', away: { since: Date.now(), nextTry: null } }),
    joins(/** @type {string} */ you, /** @type {number} */ hand) {
      const own = { id: you, label: 'Lea', role: 'listener', away: false, hand };
      become({ state: 'joined', away: null, you, people: [own], session: now.session + 1 });
    },
  };
}

it.each([
  ['is lowered by a moderator while its listener is away stays down', '7', 0, false],
  ['was up in a place that is lost is raised in the new one', '8', 0, true],
  ['is up in the kept place stays up', '7', 3, true],
])('a raised hand that %s', (_name, you, hand, raised) => {
  const listener = listen();
  listener.joins('7', 0);
  page.actions.hand();
  page.sent.length = 0;
  listener.away();
  listener.joins(you, hand);
  expect([page.hand, page.sent]).toEqual([
    raised,
    raised && hand === 0 ? [{ type: 'hand', raised: true }] : [],
  ]);
});
