import { announce, build, elementOf, keepFocus, makeButton, setText } from '../kit/element.js';
import { monotonicNow } from '../kit/live-time.js';
import { labelOf } from '../people/person.js';
import { groupTexts as texts } from '../../texts/features.js';
import { GroupChoice } from './group-choice.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { Sounds } from '../call/sounds.js'
 */

/**
 * The line above the people while the room has groups. It shows one's own group, the way to
 * another, who speaks to all, and the time until everybody is called back.
 */
export class GroupBar {
  #sounds;
  #where = build('p', { class: 'group-where' });
  #news = build('p', { class: 'hint' });
  #choice;
  #back;
  #element;
  #timer = 0;
  /** State at the last change; null while there are no groups. */
  #before = /** @type {{ group: number, speaker: string | null, isEnding: boolean } | null} */ (
    null
  );

  /**
   * @param {CurrentCall} current
   * @param {Sounds} sounds
   */
  constructor(current, sounds) {
    this.#sounds = sounds;
    const move = (/** @type {number} */ group) => void current.send({ type: 'group', group });
    this.#choice = new GroupChoice('own-group', texts.yourGroup, move);
    this.#back = makeButton('button small', texts.goBack, () => move(0));
    this.#element = build(
      'section',
      { class: 'group-bar', 'aria-label': texts.groups, hidden: true },
      build('div', {}, this.#where, this.#news),
      this.#choice.element,
      this.#back,
    );
    elementOf('knocks', HTMLElement).before(this.#element);
    current.store.subscribe(['access', 'people', 'you', 'state'], (call) =>
      keepFocus(
        () => this.#show(call),
        () => elementOf('call-title', HTMLElement),
      ),
    );
  }

  /** @param {CallView} call */
  #show({ access, people, you, state }) {
    const { groups } = access.rules;
    clearInterval(this.#timer);
    this.#element.hidden = groups === null;
    if (groups === null) {
      // A call that has ended has no groups, either.
      if (this.#before && state === 'joined') this.#tell(texts.over);
      this.#before = null;
      return;
    }
    const own = people.find((person) => person.id === you);
    const group = own?.group ?? 0;
    const { speaker, choose, endsAt } = groups;
    setText(this.#where, group > 0 ? texts.inGroup(group) : texts.inRoom);
    const mayChoose = (choose || access.role === 'moderator') && access.role !== 'listener';
    this.#choice.element.hidden = !mayChoose;
    this.#choice.show(groups.count, group, people);
    this.#back.hidden = mayChoose || group === 0;
    if (endsAt !== null)
      this.#timer = window.setInterval(() => this.#showNews(groups, people, you), 1000);
    this.#showNews(groups, people, you);
    this.#announce({ group, speaker, isEnding: endsAt !== null });
  }

  /**
   * @param {NonNullable<CallView['access']['rules']['groups']>} groups
   * @param {CallView['people']} people
   * @param {string} you
   */
  #showNews({ speaker, endsAt }, people, you) {
    setText(this.#news, newsOf({ speaker, endsAt }, people, you));
  }

  /** @param {{ group: number, speaker: string | null, isEnding: boolean }} now */
  #announce(now) {
    const before = this.#before;
    this.#before = now;
    const isMoved = now.group !== (before?.group ?? 0);
    const isNew = before === null || isMoved;
    const hasNews =
      (now.isEnding && !before?.isEnding) || (now.speaker && now.speaker !== before?.speaker);
    if (!isNew && !hasNews) return;
    const sentences = [isNew && this.#where.textContent, hasNews && this.#news.textContent];
    this.#tell(sentences.filter(Boolean).join(' '));
  }

  /** @param {string} sentence */
  #tell(sentence) {
    announce(sentence);
    this.#sounds.playPresence(true);
  }
}

/**
 * @param {{ speaker: string | null, endsAt: number | null }} groups
 * @param {CallView['people']} people
 * @param {string} you
 */
function newsOf({ speaker, endsAt }, people, you) {
  const person = people.find(({ id }) => id === speaker);
  const speaks = speaker === you ? texts.youSpeak : person && texts.speaks(labelOf(person));
  return [endsAt !== null && texts.backIn(timeUntil(endsAt)), speaks].filter(Boolean).join(' ');
}

/** @param {number} atMs  in milliseconds since 1970 */
function timeUntil(atMs) {
  const seconds = Math.max(0, Math.ceil((atMs - monotonicNow()) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
