/**
 * @import { Ban, RecordingSummary } from './server-lists.js'
 * @import { RoomAnswer, RoomSummary } from './room-card.js'
 * @import { StatusAnswer } from './tiles.js'
 */

import { ask } from '../ui/kit/dialog.js';
import { build, elementOf, keepFocus, setText } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { Notices } from '../ui/kit/notices.js';
import { askOperatorApi, keepToken, readToken } from '../ui/kit/operator-api.js';
import { Rates } from './rates.js';
import { RoomCard } from './room-card.js';
import { BansList, RecordingsList } from './server-lists.js';
import { adminTexts as texts } from './texts.js';
import { Tiles } from './tiles.js';

/** Interval of status requests, in milliseconds. */
const POLL_MS = 1000;

/**
 * Number of status requests per listing of recordings, which reads the disk; a recording's begin or
 * end also causes one.
 */
const LOOKS_OF_RECORDINGS = 10;

/** Duration of a ban made on this page, in seconds: a day. The API accepts any. */
const BAN_SECONDS = 24 * 3600;

/** Most rows of refusals: the metrics have the rest. */
const MAX_REFUSALS = 12;

/** The operator's page: asks for the token, then shows the server's state every second. */
class AdminPage {
  #notices = new Notices(elementOf('notices', HTMLElement));
  #announcer = elementOf('announcer', HTMLElement);
  #token = elementOf('token', HTMLInputElement);
  #problem = elementOf('token-problem', HTMLElement);
  #signIn = elementOf('sign-in', HTMLElement);
  #server = elementOf('server', HTMLElement);
  #signOut = elementOf('sign-out', HTMLButtonElement);
  #drain = elementOf('drain', HTMLButtonElement);
  #tiles = new Tiles(elementOf('tiles', HTMLElement));
  #rooms = new KeyedList(
    elementOf('rooms', HTMLElement),
    ({ room }) => room,
    (/** @type {RoomSummary} */ { room }) => this.#makeCard(room),
    () => elementOf('server-title', HTMLElement).focus(),
  );
  #recordings;
  #bans;
  #rates = new Rates();
  #looks = 0;
  /** Number of recordings in progress. */
  #running = 0;
  #timer = 0;
  /** Counts sign-ins: answers to requests before the last one are ignored. */
  #visit = 0;
  /** Counts looks, likewise. */
  #polls = 0;
  /** Counts requests for the recordings, likewise. */
  #listings = 0;

  constructor() {
    const [list, empty] = [
      elementOf('recordings', HTMLElement),
      elementOf('no-recordings', HTMLElement),
    ];
    this.#recordings = new RecordingsList(list, empty, (id, room) =>
      this.#deleteRecording(id, room),
    );
    this.#bans = new BansList(
      elementOf('bans', HTMLElement),
      elementOf('no-bans', HTMLElement),
      (ban) => void this.#lift(ban),
    );
    elementOf('sign-in-form', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#enter(this.#token.value.trim());
    });
    this.#signOut.addEventListener('click', () => this.#leave(texts.signedOut));
    this.#drain.addEventListener('click', () => this.#askToDrain());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && !this.#server.hidden) void this.#poll();
    });
    if (readToken() === '') this.#showSignIn();
    else void this.#enter(readToken());
  }

  #showSignIn() {
    this.#server.hidden = true;
    this.#signOut.hidden = true;
    this.#signIn.hidden = false;
    this.#token.focus();
  }

  /** @param {string | null} sentence reason against the token; null when it is accepted */
  #showProblem(sentence) {
    setText(this.#problem, sentence ?? '');
    this.#problem.hidden = sentence === null;
    this.#token.toggleAttribute('aria-invalid', false);
    if (sentence === null) return;
    this.#token.setAttribute('aria-invalid', 'true');
    this.#token.focus();
  }

  /** @param {string} token */
  async #enter(token) {
    if (token === '') return this.#showProblem(texts.signIn.empty);
    const { code, answer } = await askOperatorApi('GET', '/status', { token });
    if (code !== null) {
      this.#showSignIn();
      this.#showProblem(texts.signIn[code] ?? texts.signIn['operator-offline']);
      return;
    }
    keepToken(token);
    this.#showProblem(null);
    this.#token.value = '';
    this.#signIn.hidden = true;
    this.#signOut.hidden = false;
    this.#server.hidden = false;
    this.#visit += 1;
    this.#looks = 0;
    this.#rates = new Rates();
    this.#showStatus(/** @type {StatusAnswer} */ (answer));
    elementOf('server-title', HTMLElement).focus();
    await this.#poll();
  }

  /** @param {string} sentence */
  #leave(sentence) {
    keepToken('');
    this.#visit += 1;
    clearTimeout(this.#timer);
    this.#rooms.show([]);
    this.#notices.clear();
    this.#showSignIn();
    setText(this.#announcer, sentence);
  }

  /** Requests the status, and again after a second. A hidden page requests nothing. */
  async #poll() {
    clearTimeout(this.#timer);
    if (document.hidden) return;
    const [visit, poll] = [this.#visit, ++this.#polls];
    const isOver = () => visit !== this.#visit || poll !== this.#polls;
    const asked = ['/status', '/rooms', '/bans'].map((path) => askOperatorApi('GET', path));
    const [status, rooms, bans] = await Promise.all(asked);
    if (isOver()) return;
    const refused = [status, rooms, bans].find(({ code }) => code !== null);
    if (refused && (refused.status === 401 || refused.status === 403)) {
      this.#leave(texts.tokenGone);
      this.#showProblem(texts.tokenGone);
      return;
    }
    this.#notices.hold('operator-offline', Boolean(refused), { sentence: texts.offline });
    if (!refused) {
      const statusAnswer = /** @type {StatusAnswer} */ (status.answer);
      this.#showStatus(statusAnswer);
      this.#showRooms(/** @type {{ rooms: RoomSummary[] }} */ (rooms.answer).rooms);
      this.#bans.show(/** @type {{ bans: Ban[] }} */ (bans.answer).bans);
      await this.#lookCloser(isOver, statusAnswer.recordings.open);
    }
    if (!isOver()) this.#timer = window.setTimeout(() => void this.#poll(), POLL_MS);
  }

  /**
   * Requests the people of open rooms one by one, and recordings if they may have changed.
   * @param {() => boolean} isOver  true once a later look has begun
   * @param {number} running number of recordings in progress
   */
  async #lookCloser(isOver, running) {
    for (const [room, card] of this.#rooms.rows) {
      if (!card.isOpen) continue;
      const { code, answer } = await askOperatorApi('GET', pathOf(room));
      if (isOver()) return;
      if (code === null) card.show(/** @type {RoomAnswer} */ (answer));
    }
    const isDue = this.#looks++ % LOOKS_OF_RECORDINGS === 0 || running !== this.#running;
    this.#running = running;
    if (isDue) await this.#showRecordings();
  }

  /** @param {StatusAnswer} status */
  #showStatus(status) {
    this.#rates.add(status);
    setText(elementOf('server-build', HTMLElement), texts.build(status));
    setText(
      elementOf('server-state', HTMLElement),
      texts.state(status.state, status.uptimeSeconds),
    );
    elementOf('state-sign', HTMLElement).dataset.state = status.state;
    keepFocus(
      () => (this.#drain.hidden = status.state === 'draining'),
      () => elementOf('server-title', HTMLElement),
    );
    this.#tiles.show(status, this.#rates.recent);
    this.#showRefusals();
    this.#showWebhooks(status.webhooks);
  }

  /** @param {StatusAnswer['webhooks']} webhooks */
  #showWebhooks(webhooks) {
    elementOf('webhooks-section', HTMLElement).hidden = webhooks.length === 0;
    const list = elementOf('webhooks', HTMLElement);
    while (list.children.length > webhooks.length) list.lastElementChild?.remove();
    for (const [i, webhook] of webhooks.entries()) {
      if (!list.children[i])
        list.append(
          build(
            'li',
            {},
            build('div', {}, build('p', { class: 'person-name' }), build('p', { class: 'hint' })),
          ),
        );
      const [address, line] = list.children[i].querySelectorAll('p');
      setText(address, webhook.url);
      setText(line, texts.webhookLine(webhook));
    }
  }

  #showRefusals() {
    const { refusals } = this.#rates;
    const table = elementOf('refusals', HTMLTableElement);
    table.hidden = refusals.length === 0;
    elementOf('no-refusals', HTMLElement).hidden = refusals.length > 0;
    const cell = (/** @type {number} */ count) => build('td', {}, count.toLocaleString('en'));
    const rows = refusals.slice(0, MAX_REFUSALS).map(({ of, code, count, recent }) => {
      const why = texts.why(code);
      const words = build(
        'th',
        { scope: 'row' },
        texts.refused(of, code),
        why ? build('span', { class: 'hint' }, why) : null,
      );
      return build('tr', {}, words, cell(recent), cell(count));
    });
    table.tBodies[0].replaceChildren(...rows);
  }

  /** @param {RoomSummary[]} rooms */
  #showRooms(rooms) {
    this.#rooms.show(rooms, (card, summary) => card.showSummary(summary));
    elementOf('no-rooms', HTMLElement).hidden = rooms.length > 0;
  }

  /** @param {string} room */
  #makeCard(room) {
    const card = new RoomCard(room, {
      setDelay: (name, serverDelayMs) =>
        void this.#do('PATCH', pathOf(name), texts.delaySet(name), { serverDelayMs }),
      stopRecording: (name) =>
        void this.#do('DELETE', `${pathOf(name)}/recording`, texts.recordingStopped(name)),
      endRoom: (name) => this.#askToEnd(name),
      remove: (name, id, label) => this.#askToRemove(name, id, label),
      ban: (name, id, label) => this.#askToBan(name, id, label),
      change: (name, change, sentence) => void this.#do('PATCH', pathOf(name), sentence, change),
      changePerson: (name, id, change, sentence) =>
        void this.#do(
          'PATCH',
          `${pathOf(name)}/people/${encodeURIComponent(id)}`,
          sentence,
          change,
        ),
      answerKnock: (name, knock, isAdmitted) => void this.#answerKnock(name, knock, isAdmitted),
    });
    card.element.addEventListener('toggle', () => card.isOpen && void this.#poll());
    return card;
  }

  async #showRecordings() {
    const [visit, listing] = [this.#visit, ++this.#listings];
    const { code, answer } = await askOperatorApi('GET', '/recordings');
    if (code !== null || visit !== this.#visit || listing !== this.#listings) return;
    this.#recordings.show(/** @type {{ recordings: RecordingSummary[] }} */ (answer).recordings);
  }

  /**
   * Asks before something that can't be undone.
   * @param {{ title: string, text: string, yes: string }} question
   * @param {() => unknown} act
   */
  #confirm(question, act) {
    ask({ ...question, no: texts.cancel, isDangerous: true }, (agreed) => {
      if (agreed) act();
    });
  }

  #askToDrain() {
    const question = { title: texts.drainTitle, text: texts.drainText, yes: texts.drain };
    this.#confirm(question, () => this.#do('POST', '/drain', texts.drained));
  }

  /** @param {string} room */
  #askToEnd(room) {
    const question = {
      title: texts.endRoomTitle(room),
      text: texts.endRoomText,
      yes: texts.endRoom,
    };
    this.#confirm(question, () => this.#do('DELETE', pathOf(room), texts.roomEnded(room)));
  }

  /** @param {string} room @param {string} id @param {string} label */
  #askToRemove(room, id, label) {
    const path = `${pathOf(room)}/people/${encodeURIComponent(id)}`;
    const question = { title: texts.removeTitle(label), text: texts.removeText, yes: texts.remove };
    this.#confirm(question, () => this.#do('DELETE', path, texts.removed(label)));
  }

  /** @param {string} room @param {string} id @param {string} label */
  #askToBan(room, id, label) {
    const ban = { person: id, seconds: BAN_SECONDS };
    const question = { title: texts.banTitle(label), text: texts.banText, yes: texts.banForADay };
    this.#confirm(question, () =>
      this.#do('POST', `${pathOf(room)}/bans`, texts.bannedNow(label), ban),
    );
  }

  /** @param {Ban} ban */
  #lift({ id, room, name }) {
    return this.#do('DELETE', `${pathOf(room)}/bans/${encodeURIComponent(id)}`, texts.lifted(name));
  }

  /**
   * @param {string} room
   * @param {{ id: string, name: string }} knock
   * @param {boolean} isAdmitted
   */
  #answerKnock(room, { id, name }, isAdmitted) {
    const path = `${pathOf(room)}/knocks/${encodeURIComponent(id)}`;
    return isAdmitted
      ? this.#do('POST', path, texts.admitted(name))
      : this.#do('DELETE', path, texts.turnedAway(name));
  }

  /** @param {string} id @param {string} room */
  #deleteRecording(id, room) {
    const question = {
      title: texts.deleteTitle(room),
      text: texts.deleteText,
      yes: texts.deleteRecording,
    };
    this.#confirm(question, async () => {
      await this.#do('DELETE', `/recordings/${encodeURIComponent(id)}`, texts.deleted);
      await this.#showRecordings();
    });
  }

  /**
   * Sends a request, reports its outcome, and refreshes the page.
   * @param {'POST' | 'PATCH' | 'DELETE'} method
   * @param {string} path
   * @param {string} sentence message of success
   * @param {object} [body]
   */
  async #do(method, path, sentence, body) {
    const { code, answer } = await askOperatorApi(method, path, { body });
    if (code === null) {
      this.#notices.settle('not-done');
      setText(this.#announcer, sentence);
    } else {
      const { message = '' } = /** @type {{ message?: string }} */ (answer ?? {});
      this.#notices.show('not-done', {
        sentence: `${texts.notDone} ${texts.why(code) || message}`,
      });
    }
    await this.#poll();
  }
}

/** @param {string} room */
const pathOf = (room) => `/rooms/${encodeURIComponent(room)}`;

new AdminPage();
