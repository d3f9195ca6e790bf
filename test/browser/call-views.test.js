/** Views of a call, each alone in a page, which follow a store of the test's. */

import { expect } from 'vitest';
import { inBrowser } from '../../testkit/browsers/browser.js';
import { button as buttonOf } from './support/room-page.js';
import { useSite } from './support/site.js';

/** @typedef {import('playwright-core').Page} Page */

/** Modules of the page that tests use, by their names. */
const MODULES = {
  call: '/public/ui/call/current-call.js',
  store: '/public/client/call/store.js',
  view: '/public/client/call/call-view.js',
  chat: '/public/ui/chat/chat-panel.js',
  audience: '/public/ui/moderation/audience-list.js',
  choice: '/public/ui/groups/group-choice.js',
  metronome: '/public/ui/sound/metronome-controls.js',
  track: '/public/ui/sound/track-controls.js',
  share: '/public/ui/sound/share-controls.js',
  recording: '/public/ui/recording/recording-controls.js',
  room: '/public/ui/moderation/room-panel.js',
  requests: '/public/ui/moderation/request-lists.js',
  transcript: '/public/recordings/transcript-list.js',
};

/**
 * Runs in the page: a call that does nothing but note what it is asked for.
 * @param {any} own  the window
 */
function standIn(own) {
  const { Store, NO_CALL, CurrentCall } = own;
  const current = new CurrentCall();
  own.asked = [];
  const note =
    (/** @type {string} */ name) =>
    (/** @type {unknown[]} */ ...parameters) => {
      own.asked.push([name, ...parameters]);
      return own.isOnline;
    };
  own.isOnline = true;
  own.current = current;
  own.begin = () => {
    current.begin({
      store: new Store({ ...NO_CALL, state: 'connecting' }),
      sendControl: note('send'),
      resume: 'token',
      sharingAs: (/** @type {string} */ name) => ({
        ...{ origin: location.origin, transport: 'websocket', join: { room: 'shared', name } },
      }),
      setMetronomeHeard: note('heard'),
      setTrackLevel: note('level'),
    });
  };
  own.set = (/** @type {object} */ changes) => current.call.store.set(changes);
}

inBrowser.describe('a view of a call', () => {
  const site = useSite(['--engine', 'none']);

  /** A page that has the modules, with the markup of a room's page. */
  async function open() {
    const page = await site.room('views');
    await page.evaluate(
      `Promise.all(${JSON.stringify(Object.values(MODULES))}.map((path) => import(path)))
        .then((all) => void Object.assign(window, ...all))`,
    );
    await page.evaluate(`(${standIn})(window)`);
    await page.evaluate('begin()');
    return page;
  }

  inBrowser.it('keeps the messages of the chat over a lost connection', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const panel = new own.ChatPanel(own.current);
      document.body.replaceChildren(panel.element);
      const message = (/** @type {number} */ number, at = '2026-11-29T12:00:00Z') => ({
        ...{ number, from: '1', name: 'Ben', text: `message ${number}`, at },
      });
      own.message = message;
      own.set({ session: 1, you: '7', state: 'joined', chat: [message(1), message(2)] });
      panel.element.querySelector('li').setAttribute('data-first', '');
    });
    const rows = page.getByRole('log').getByRole('listitem');
    const texts = async () => (await rows.allInnerTexts()).map((text) => text.match(/\d$/)?.[0]);
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      own.set({ state: 'away' });
      own.set({ session: 2, state: 'joined', chat: [1, 2, 3].map((n) => own.message(n)) });
    });
    expect(await texts()).toEqual(['1', '2', '3']);
    // A log that is made again is read aloud from its start.
    expect(await page.locator('[data-first]').count()).toBe(1);
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      own.set({ session: 3, chat: [1, 2].map((n) => own.message(n, '2026-11-29T13:00:00Z')) });
    });
    expect(await texts()).toEqual(['1', '2']);
    expect(await page.locator('[data-first]').count()).toBe(0);
  });

  inBrowser.it('sends a message again that a call’s move to another node has lost', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const panel = new own.ChatPanel(own.current);
      document.body.replaceChildren(panel.element);
      const access = { ...own.NO_CALL.access, may: ['speak', 'chat'] };
      own.set({ session: 1, you: '7', state: 'joined', access });
    });
    for (const text of ['one', 'two']) {
      await page.getByRole('textbox').fill(text);
      await page.keyboard.press('Enter');
    }
    const sent = () =>
      page.evaluate(() =>
        /** @type {any} */ (window).asked.map((/** @type {any} */ [, { text }]) => text),
      );
    expect(await sent()).toEqual(['one']);
    const move = (/** @type {object[]} */ chat) =>
      page.evaluate((messages) => {
        const own = /** @type {any} */ (window);
        own.set({ session: own.current.store.value.session + 1, chat: messages });
      }, chat);
    await move([]);
    expect(await sent()).toEqual(['one', 'one']);
    // The next node knows it.
    await move([{ number: 1, from: '7', name: 'Anna', text: 'one', at: '2026-11-29T12:00:00Z' }]);
    expect(await sent()).toEqual(['one', 'one', 'two']);
  });

  inBrowser.it('leaves the keys of an input method to it, as Safari reports them', async () => {
    const page = await site.join('composing', 'Anna');
    await buttonOf(page, 'Chat').click();
    const field = page.getByLabel('Message to everybody');
    await field.fill('かな');
    const press = (/** @type {string} */ key) =>
      field.evaluate((element, pressed) => {
        const init = { key: pressed, keyCode: 229, bubbles: true, cancelable: true };
        return element.dispatchEvent(new KeyboardEvent('keydown', init));
      }, key);
    expect([await press('Enter'), await press('Escape')]).toEqual([true, true]);
    expect([await field.isVisible(), await field.inputValue()]).toEqual([true, 'かな']);
    await field.press('Enter');
    await page.getByRole('log').getByText('かな').waitFor();
    await field.press('Escape');
    await expect.poll(() => field.isVisible()).toBe(false);
  });

  inBrowser.it('keeps the keyboard’s place on a button that a lost connection stops', async () => {
    const page = await site.join('offline', 'Anna');
    await buttonOf(page, 'Raise hand').focus();
    await page.evaluate(async () => {
      const { store } = /** @type {any} */ (window).aloud.call;
      const now = Date.now();
      store.set({ state: 'away', away: { since: now, nextTry: now + 60_000 } });
      for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
    });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('hand');
    expect(await buttonOf(page, 'Raise hand').getAttribute('aria-disabled')).toBe('true');
  });

  inBrowser.it('shows a message in the direction of its own script', async () => {
    const page = await open();
    const order = await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const panel = new own.ChatPanel(own.current);
      document.body.replaceChildren(panel.element);
      const at = '2026-11-29T12:00:00Z';
      const texts = ['مرحبا!', 'Hello!'];
      const chat = texts.map((text, i) => ({ number: i + 1, from: '1', name: 'Ben', text, at }));
      const access = { ...own.NO_CALL.access, may: ['speak', 'chat'] };
      own.set({ session: 1, you: '7', state: 'joined', access, chat });
      /** Place of a letter from the left. @param {Node} node @param {number} i */
      const leftOf = (node, i) => {
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        return range.getBoundingClientRect().left;
      };
      return [...panel.element.querySelectorAll('.message-text')].map(({ firstChild }) =>
        leftOf(firstChild, 5) < leftOf(firstChild, 0) ? 'right to left' : 'left to right',
      );
    });
    expect(order).toEqual(['right to left', 'left to right']);
    const field = page.getByRole('textbox');
    await field.fill('مرحبا!');
    expect(await field.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  });

  inBrowser.it('keeps the keyboard’s place in a transcript that grows', async () => {
    const page = await open();
    const focused = await page.evaluate(() => {
      const list = new /** @type {any} */ (window).TranscriptList(() => {});
      document.body.replaceChildren(list.element);
      const cue = (/** @type {number} */ second, /** @type {string} */ text) =>
        `00:00:0${second}.000 --> 00:00:0${second}.500\n<v Ben><lang en>${text}</lang></v>\n\n`;
      list.show(cue(1, 'one'));
      list.element.querySelector('li button').focus();
      list.show(cue(1, 'one') + cue(2, 'two'));
      return [document.activeElement?.textContent, list.element.querySelectorAll('li').length];
    });
    expect(focused).toEqual([expect.stringMatching(/one$/), 2]);
  });

  inBrowser.it('has its volume of the metronome and of the track in the next call', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const controls = [own.MetronomeControls, own.TrackControls].map(
        (one) => new one(own.current),
      );
      document.body.replaceChildren(...controls.map(({ element }) => element));
      own.set({ state: 'joined', track: { track: { by: 'Ben', name: 'Blue', seconds: 9 } } });
    });
    await page.getByRole('switch').uncheck();
    await page.getByRole('slider').fill('50');
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      own.current.end();
      own.begin();
      own.asked = [];
      own.set({ state: 'joined' });
    });
    expect(await page.evaluate(() => /** @type {any} */ (window).asked)).toEqual([
      ['heard', false],
      ['level', 0.25],
    ]);
  });

  inBrowser.it('shows what holds when a request is lost with the connection', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const button = document.createElement('button');
      document.body.append(
        Object.assign(document.createElement('span'), { id: 'recording-badge' }),
      );
      const notices = { show() {}, settle() {} };
      const { panel } = new own.RecordingControls(own.current, button, notices);
      const room = new own.RoomPanel(own.current, own.current.send, notices);
      const { element } = new own.MetronomeControls(own.current);
      document.body.append(panel.element, room.element, element);
      const me = { id: '7', name: 'Anna', label: 'Anna', role: 'moderator', recorded: false };
      const beat = { bpm: 90, beats: 4, by: 'Ben' };
      const recording = { id: 'r', on: true, by: 'Anna', startedAt: '2026-11-29T12:00:00Z' };
      own.set({ session: 1, state: 'joined', you: '7', people: [me] });
      own.set({ recording, metronome: { beat, by: null } });
      own.isOnline = false;
    });
    const recorded = page.locator('#record-me');
    await recorded.click();
    expect(await recorded.isChecked()).toBe(false);
    const bpm = page.locator('#metronome-bpm');
    await bpm.fill('140');
    await bpm.press('Tab');
    expect(await bpm.inputValue()).toBe('90');
    const password = page.locator('#room-password');
    await password.fill('tea');
    await password.press('Enter');
    expect(await password.inputValue()).toBe('tea');
    await page.evaluate(() => Object.assign(window, { isOnline: true }));
    await password.press('Enter');
    expect(await password.inputValue()).toBe('');
  });

  inBrowser.it('shows the group in which a person is, not the one asked for', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const chosen = (/** @type {number} */ group) => own.asked.push(group);
      const choice = new own.GroupChoice('group', 'Group', chosen);
      document.body.replaceChildren(choice.element);
      choice.show(3, 1, []);
    });
    await page.getByLabel('Group').selectOption({ index: 2 });
    expect(await page.evaluate(() => /** @type {any} */ (window).asked)).toEqual([2]);
    expect(await page.getByLabel('Group').inputValue()).toBe('1');
  });

  inBrowser.it('keeps the keyboard’s place when a recording or a broadcast ends', async () => {
    const page = await open();
    const focused = await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const badge = Object.assign(document.createElement('span'), { id: 'recording-badge' });
      document.body.append(badge);
      const notices = { show() {}, settle() {} };
      const { panel } = new own.RecordingControls(own.current, badge, notices);
      const room = new own.RoomPanel(own.current, () => true, notices);
      document.body.append(panel.element, room.element);
      const { access } = own.current.store.value;
      const live = { ...access.rules, broadcast: true };
      const me = { id: '7', name: 'Anna', label: 'Anna', role: 'moderator', recorded: true };
      own.set({ session: 1, state: 'joined', you: '7', people: [me] });
      own.set({ access: { ...access, may: ['record'], rules: live, stage: 'key' } });
      own.set({ recording: { id: 'r', on: true, by: 'Anna', startedAt: '2026-11-29T12:00:00Z' } });
      const after = (/** @type {string} */ selector, /** @type {object} */ change) => {
        const focus = [...document.querySelectorAll('input, button')].find(
          (one) => one.id === selector || one.textContent === selector,
        );
        /** @type {HTMLElement} */ (focus).focus();
        own.set(change);
        return document.activeElement?.id || document.activeElement?.textContent;
      };
      return [
        after('record-me', { recording: null }),
        after('Copy the link to the stage', { access: { ...access, may: ['record'] } }),
      ];
    });
    expect(focused).toEqual(['Start recording', 'room-lock']);
  });

  inBrowser.it('asks again for consent to a recording if the answer was lost', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const button = document.createElement('button');
      const badge = Object.assign(document.createElement('span'), { id: 'recording-badge' });
      document.body.append(badge);
      new own.RecordingControls(own.current, button, { show() {}, settle() {} });
      const me = { id: '7', name: 'Anna', label: 'Anna', role: 'speaker', recorded: false };
      const recording = { id: 'r', on: true, by: 'Ben', startedAt: '2026-11-29T12:00:00Z' };
      own.set({ session: 1, state: 'joined', you: '7', people: [me] });
      own.set({ recording });
      own.isOnline = false;
      own.set({ state: 'away' });
    });
    const dialog = page.getByRole('dialog');
    const agree = dialog.getByRole('button').last();
    const asked = () => page.evaluate(() => /** @type {any} */ (window).asked);
    const agrees = ['send', { type: 'recordConsent', agreed: true }];
    await agree.click();
    // A dialog tells of its end later than of the click, and the answer is sent then.
    await expect.poll(asked).toEqual([agrees]);
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      own.isOnline = true;
      own.asked = [];
      own.set({ state: 'joined' });
    });
    await agree.click();
    await expect.poll(asked).toEqual([agrees]);
    await page.evaluate(() => /** @type {any} */ (window).set({ listeners: 1 }));
    expect(await dialog.count()).toBe(0);
  });

  inBrowser.it('asks about the recording that runs, not about one before it', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const button = document.createElement('button');
      const badge = Object.assign(document.createElement('span'), { id: 'recording-badge' });
      document.body.append(badge);
      new own.RecordingControls(own.current, button, { show() {}, settle() {} });
      const me = { id: '7', name: 'Anna', label: 'Anna', role: 'speaker', recorded: false };
      const startedAt = '2026-11-29T12:00:00Z';
      own.set({ session: 1, state: 'joined', you: '7', people: [me] });
      own.set({ recording: { id: 'r', on: true, by: 'Ben', startedAt } });
      own.set({ state: 'away' });
      const next = { id: 's', on: true, by: 'Cid', startedAt };
      own.set({ session: 2, state: 'joined', recording: next });
    });
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.allInnerTexts()).toEqual([expect.stringContaining('Cid')]);
  });

  inBrowser.it('tells of a request once, and again when it is made again', async () => {
    const page = await open();
    const told = await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      const add = (/** @type {string} */ id) =>
        document.body.appendChild(Object.assign(document.createElement('section'), { id }));
      add('knocks');
      add('hands');
      const announcer = /** @type {HTMLElement} */ (document.getElementById('announcer'));
      let sounds = 0;
      const knocks = new own.KnockList(() => true, { playPresence: () => (sounds += 1) });
      const hands = new own.HandList(() => true);
      const bob = [{ id: '1', name: 'Bob' }];
      const lea = { people: [{ id: '8', label: 'Lea', hand: 1 }], count: 1 };
      const none = { people: [], count: 0 };
      const seen = /** @type {number[][]} */ ([]);
      const show = (/** @type {any} */ waiting, /** @type {any} */ raised, session = 1) => {
        knocks.show(waiting, session);
        hands.show(raised, session);
        seen.push([sounds, announcer.children.length]);
      };
      show(bob, lea);
      // A welcome lists no requests: they follow.
      show([], none, 2);
      show(bob, lea, 2);
      show([], none, 2);
      show(bob, lea, 2);
      return seen;
    });
    expect(told).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
      [2, 4],
    ]);
  });

  inBrowser.it('keeps a shared tab from its owner’s ears after a lost connection', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      navigator.mediaDevices.getDisplayMedia = async () =>
        new MediaStreamAudioDestinationNode(new AudioContext()).stream;
      document.body.replaceChildren(new own.ShareControls(own.current).element);
      const access = { ...own.NO_CALL.access, may: ['speak'] };
      own.set({ session: 1, state: 'joined', you: '7', access });
    });
    await page.getByRole('button').first().click();
    const asked = () => page.evaluate(() => /** @type {any} */ (window).asked);
    const mutes = ['send', { type: 'volume', person: expect.any(String), gain: 0 }];
    await expect.poll(asked).toContainEqual(mutes);
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      own.set({ state: 'away' });
      own.set({ session: 2 });
      own.asked = [];
      own.set({ state: 'joined' });
    });
    expect(await asked()).toContainEqual(mutes);
    await page.getByRole('button').last().click();
  });

  inBrowser.it('keeps the keyboard’s place in the list of the audience', async () => {
    const page = await open();
    await page.evaluate(() => {
      const own = /** @type {any} */ (window);
      own.list = new own.AudienceList(own.current.send, () => {});
      document.body.replaceChildren(own.list.element);
    });
    const show = (/** @type {string | null} */ next) =>
      page.evaluate((after) => {
        const people = [{ id: '9', label: 'Lea', hand: 0 }];
        /** @type {any} */ (window).list.show({ find: '', count: 2, people, next: after });
      }, next);
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await show('Lea');
    for (const name of ['Next', 'From the beginning']) {
      await page.getByRole('button', { name }).focus();
      await page.keyboard.press('Enter');
      await show(null);
      expect(await focused()).toBe('find-listener');
    }
  });
});
