import { expect } from 'vitest';
import { inBrowser } from '../../testkit/browsers/browser.js';
import { useSite } from './support/site.js';

/**
 * Runs in the page: shows lists of letters one after another, with the focus on one of them.
 * @param {{ lists: string[], focus?: string }} test
 */
function showLists({ lists, focus }) {
  const { KeyedList } = /** @type {any} */ (window);
  const host = document.createElement('ul');
  document.body.append(host);
  /** @type {string[]} */
  const made = [];
  let refocused = 'nowhere';
  const list = new KeyedList(
    host,
    (/** @type {string} */ letter) => letter,
    (/** @type {string} */ letter) => {
      made.push(letter);
      const element = document.createElement('li');
      element.tabIndex = 0;
      return { element, letter };
    },
    (/** @type {Element | null} */ neighbour) =>
      (refocused = neighbour === null ? 'none left' : String(neighbour.textContent)),
  );
  const update = (/** @type {any} */ row, /** @type {string} */ letter) =>
    (row.element.textContent = letter);
  const added = lists.map((letters, i) => {
    const fresh = list.show([...letters], update);
    if (i === 0 && focus) list.rows.get(focus).element.focus();
    return fresh.join('');
  });
  const focused = document.activeElement?.textContent;
  const shown = host.textContent;
  host.remove();
  return { shown, added, made: made.join(''), refocused, focused };
}

/**
 * Runs in the page: presses a switch of the panel Room, whose requests come to nothing, and joins
 * again.
 */
const USE_ROOM_PANEL = `Promise.all([
  import('/public/ui/moderation/room-panel.js'),
  import('/public/ui/call/current-call.js'),
]).then(async ([{ RoomPanel }, { CurrentCall }]) => {
  const asked = [];
  let isConnected = true;
  const send = ({ action, on }) => {
    asked.push(on === undefined ? action : action + ' ' + on);
    return isConnected;
  };
  const current = new CurrentCall();
  const panel = new RoomPanel(current, send, {});
  document.body.append(panel.element);
  const lock = panel.element.querySelector('#room-lock');
  const shown = [];
  lock.click();
  shown.push(lock.checked);
  await new Promise((done) => setTimeout(done, 2000));
  shown.push(lock.checked);
  isConnected = false;
  lock.click();
  shown.push(lock.checked);
  const requests = asked.splice(0);
  current.store.set({ state: 'joined', joined: {} });
  panel.element.remove();
  current.store.set({ joined: {} });
  return { requests, shown, again: asked };
})`;

/** Runs in a listeners' page: what has the focus after another recording, and after none. */
const LEAD_TO_RECORDINGS = `import('/public/listen/listen-view.js').then(({ ListenView }) => {
  const view = new ListenView('recorded', { isEmbedded: false, name: '', invited: '' }, {});
  view.recorded('1');
  [...document.querySelectorAll('a')].find(({ href }) => href.endsWith('/1')).focus();
  view.recorded('2', 'https://a.example');
  const { href } = document.activeElement;
  view.recorded(null);
  return [href, document.activeElement.id];
})`;

inBrowser.describe('the page’s kit', () => {
  const site = useSite(['--engine', 'none']);

  inBrowser.it(
    'has lists that make a row once, at its item’s place, and keep the focus',
    async () => {
      const page = await site.page('/');
      const module = "import('/public/ui/kit/keyed-list.js')";
      await page.evaluate(`${module}.then((exported) => void Object.assign(window, exported))`);
      const show = (/** @type {string[]} */ lists, /** @type {string} */ focus = '') =>
        page.evaluate(showLists, { lists, focus });
      expect(await show(['bd', 'abcde', 'ace'])).toMatchObject({
        shown: 'ace',
        added: ['bd', 'ace', ''],
        made: 'bdace',
      });
      expect(await show(['abc', 'xcbz'], 'b')).toMatchObject({
        shown: 'xbzc',
        refocused: 'nowhere',
        focused: 'b',
      });
      expect(await show(['abc', 'ac'], 'b')).toMatchObject({ refocused: 'c' });
      expect(await show(['abc', 'ab'], 'c')).toMatchObject({ refocused: 'b' });
      expect(await show(['a', ''], 'a')).toMatchObject({ shown: '', refocused: 'none left' });
    },
  );

  inBrowser.it('has a panel Room that shows what holds, and asks again after a join', async () => {
    const page = await site.page('/');
    expect(await page.evaluate(USE_ROOM_PANEL)).toEqual({
      requests: ['lock true', 'lock true'],
      shown: [true, false, false],
      again: ['bans', 'listeners'],
    });
  });

  inBrowser.it('has dialogs that a press outside closes, and no other', async () => {
    const page = await site.page('/');
    const module = "import('/public/ui/kit/dialog.js')";
    await page.evaluate(`${module}.then((kit) => void kit.showDialog('Title', 'some words'))`);
    const dialog = page.getByRole('dialog');
    const box = await dialog.boundingBox();
    if (box === null) throw new Error('the dialog is hidden');
    await page.mouse.click(box.x + 5, box.y + 5);
    // Words are selected up to a place outside.
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 30, box.y + 40);
    await page.mouse.up();
    expect(await dialog.isVisible()).toBe(true);
    await page.mouse.click(box.x + box.width + 30, box.y + 40);
    await expect.poll(() => dialog.count()).toBe(0);
  });

  inBrowser.it('keeps the keyboard’s place on the listeners’ link to a recording', async () => {
    await site.guest('recorded', 'Ann');
    const page = await site.page('/r/recorded?listen');
    const focused = await page.evaluate(LEAD_TO_RECORDINGS);
    expect(focused).toEqual(['https://a.example/recordings/2', 'listen-button']);
  });

  inBrowser.it('announces a sentence beside one of a moment before', async () => {
    const page = await site.page('/');
    const module = "import('/public/ui/kit/element.js')";
    await page.evaluate(`${module}.then((kit) => ['One.', '', 'Two.'].forEach(kit.announce))`);
    const announcer = page.locator('#announcer');
    expect(await announcer.locator('p').allInnerTexts()).toEqual(['One.', 'Two.']);
    await expect.poll(() => announcer.innerText(), { timeout: 10_000 }).toBe('Two.');
  });
});
