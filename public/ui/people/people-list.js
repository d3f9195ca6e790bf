import { hue, initials, labelOf, ownerLabel } from './person.js';
import { build, elementOf, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { KeyedList } from '../kit/keyed-list.js';
import { PersonMenu } from './person-menu.js';
import { languageName } from '../../texts/language.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { Person } from './person.js'
 * @import { OwnVolumes, Volume } from './own-volumes.js'
 *
 * @typedef {object} Shown  what the page knows about a person besides
 * @property {boolean} you
 * @property {boolean} recording the room is being recorded
 * @property {boolean} moderates the person of this page is a moderator
 * @property {boolean} ownVolumes one has volumes of one's own: listeners have none
 * @property {boolean} stereo the room is stereo
 * @property {string} sharedBy  label of the person whose shared sound it is; empty for people
 */

/**
 * Levels that fill the ring around an avatar and leave it empty, in -dBov (RFC 6465: 0 is the
 * loudest, 127 silence).
 */
const LOUD = 15;
const QUIET = 60;

/**
 * Shortest offset of a person that is shown under their name, in milliseconds: less is hardly
 * heard.
 */
const NOTABLE_MS = 60;

/** The people in the room, as a list: one tile each, kept while the person stays. */
export class PeopleList {
  #list = elementOf('people', HTMLUListElement);
  #tiles;

  /**
   * @param {CurrentCall} current
   * @param {OwnVolumes} volumes
   * @param {(person: Person) => void} moderate  shows what a moderator can do with somebody
   */
  constructor({ store }, volumes, moderate) {
    this.#tiles = new KeyedList(
      this.#list,
      ({ id }) => id,
      (/** @type {Person} */ { id }) =>
        new PersonTile(volumes.of(id), (volume) => volumes.set(id, volume), moderate),
      () => elementOf('call-title', HTMLElement).focus(),
    );
    store.subscribe(['people', 'you', 'recording', 'isStereo'], (now, before) => {
      // With another own id, all ids are new.
      if (now.you !== before.you) this.#show({ ...now, people: [] });
      this.#show(now);
    });
    store.subscribe(['speakers', 'state'], ({ speakers, state }) =>
      this.#showSpeakers(state === 'away' ? [] : speakers),
    );
    // The sum has the usual delay of late people; each voice has its own.
    store.subscribe(['stats'], ({ stats }) =>
      this.#heardAfter(
        typeof stats?.delayMs === 'number' ? stats.delayMs - (stats.delayParts.laterMs ?? 0) : null,
      ),
    );
  }

  /** @param {CallView} call */
  #show({ people, you, recording, isStereo: stereo }) {
    const role = people.find(({ id }) => id === you)?.role;
    const shown = {
      recording: recording?.on === true,
      moderates: role === 'moderator',
      ownVolumes: role !== 'listener',
      stereo,
    };
    this.#tiles.show(withShared(people), (tile, person) =>
      tile.show(person, {
        ...shown,
        you: person.id === you,
        sharedBy: ownerLabel(person, people),
      }),
    );
    this.#list.dataset.count = String(Math.min(people.length, 7));
  }

  /**
   * Shows how old each voice is.
   * @param {number | null} ms from a sound until it is heard, without an offset; null while unknown
   */
  #heardAfter(ms) {
    for (const tile of this.#tiles.rows.values()) tile.heardAfter(ms);
  }

  /**
   * Shows who is speaking.
   * @param {{ id: string, level: number, voice: boolean }[]} speakers level in -dBov; people not
   *   listed are silent
   */
  #showSpeakers(speakers) {
    const speaking = new Map(speakers.map((one) => [one.id, one]));
    for (const [id, tile] of this.#tiles.rows) {
      const one = speaking.get(id);
      tile.speaks(one ? shareOf(one.level) : 0, one?.voice ?? false);
    }
  }
}

/**
 * People in their order, each with their shared sound behind them.
 * @param {Person[]} people
 */
function withShared(people) {
  if (people.every(({ owner }) => owner === '')) return people;
  const isOwned = (/** @type {Person} */ { owner }) => people.some(({ id }) => id === owner);
  return people
    .filter((person) => !isOwned(person))
    .flatMap((person) => [person, ...people.filter(({ owner }) => owner === person.id)]);
}

/** @param {number} level in -dBov */
const shareOf = (level) => Math.min(1, Math.max(0, (QUIET - level) / (QUIET - LOUD)));

/**
 * True when two objects have the same values under the same names.
 * @template {object} T
 * @param {T | null} one
 * @param {T} other
 */
const isAlike = (one, other) =>
  one !== null && Object.entries(one).every(([name, value]) => Reflect.get(other, name) === value);

/**
 * Lists a person's present states, shown beside their name.
 * @param {Person} person
 * @param {Shown} shown
 * @param {boolean} isMutedForYou
 * @returns {string[]}
 */
function statesOf(person, shown, isMutedForYou) {
  const { role, away, hand, muted, silenced, waitMs, laterMs, recorded, title } = person;
  const { group, language } = person;
  const later = shown.you ? texts.youLater : texts.later;
  const states = [
    shown.sharedBy !== '' && texts.sharedBy(shown.sharedBy),
    title !== '' && texts.plays(title),
    texts.roles[role],
    group > 0 && texts.ofGroup(group),
    language !== '' && texts.interprets(languageName(language)),
    away && texts.away,
    hand > 0 && texts.handRaised,
    muted && (silenced ? texts.mutedByModerator : texts.muted),
    waitMs > 0 && texts.waited(waitMs),
    laterMs >= NOTABLE_MS && later(laterMs),
    isMutedForYou && texts.mutedForYou,
    shown.recording && !recorded && texts.notRecorded,
  ];
  return states.flatMap((state) => state || []);
}

/** One person's tile: name, level, signs, and the menu. */
class PersonTile {
  #avatar = build('span', { class: 'avatar' });
  #name = build('span', { class: 'person-called', dir: 'auto' });
  #you = build('span', { class: 'person-you' }, ` (${texts.you})`);
  #how = build('span', { class: 'person-how' });
  #muted = build('span', { class: 'person-sign muted-sign' }, makeIcon(icons.muted));
  #hand = build('span', { class: 'person-sign hand-sign' }, makeIcon(icons.hand));
  #quality = build(
    'span',
    { class: 'quality' },
    build('span', {}),
    build('span', {}),
    build('span', {}),
  );
  #qualityText = build('span', { class: 'visually-hidden' });
  #menu;
  #isMutedForYou;
  /** @type {Person | null} */
  #person = null;
  /** @type {Shown | null} */
  #shown = null;

  /**
   * @param {Volume} volume this listener's, of this person; a gain of 0 mutes them
   * @param {(volume: Volume) => void} onVolume
   * @param {(person: Person) => void} onModerate
   */
  constructor(volume, onVolume, onModerate) {
    this.#isMutedForYou = volume.gain === 0;
    const changes = (/** @type {Volume} */ changed) => {
      onVolume(changed);
      this.#isMutedForYou = changed.gain === 0;
      this.#refresh();
    };
    this.#menu = new PersonMenu(volume, changes, () => this.#person && onModerate(this.#person));
    const nameLine = build('span', { class: 'person-name' }, this.#name, this.#you);
    const signs = build('div', { class: 'person-signs' }, this.#hand, this.#muted, this.#quality);
    this.element = build(
      'li',
      { class: 'person' },
      this.#avatar,
      build('div', { class: 'person-text' }, nameLine, this.#how, this.#qualityText),
      signs,
      this.#menu.button,
      this.#menu.element,
    );
  }

  /**
   * @param {Person} person
   * @param {Shown} shown
   */
  show(person, shown) {
    // Nearly all tiles of a long list stay as they were.
    const isSame = isAlike(this.#person, person) && isAlike(this.#shown, shown);
    this.#person = { ...person };
    this.#shown = shown;
    if (!isSame) this.#refresh();
  }

  #refresh() {
    const [person, shown] = [this.#person, this.#shown];
    if (!person || !shown) return;
    const { name, muted, hand, away, quality, transport } = person;
    const { you, moderates, ownVolumes, stereo } = shown;
    const called = labelOf(person);
    // An attribute that the stylesheet draws, so that assistive technology doesn't read the
    // initials.
    this.#avatar.dataset.initials = initials(name);
    this.element.style.setProperty('--hue', String(hue(called)));
    this.element.classList.toggle('away', away);
    setText(this.#name, called);
    this.#name.title = called;
    this.#you.hidden = !you;
    this.#muted.hidden = !muted;
    this.#hand.hidden = hand === 0;
    this.#showQuality(quality);
    setText(this.#how, statesOf(person, shown, this.#isMutedForYou).join(' · '));
    const menu = { you, moderates: moderates && !you, ownVolumes, stereo };
    this.#menu.show(called, transport, menu);
    if (muted || away) this.speaks(0, false);
  }

  /** @param {number} quality */
  #showQuality(quality) {
    const text = texts.quality[quality] ?? '';
    this.#quality.hidden = quality === 0;
    this.#quality.dataset.quality = String(quality);
    this.#quality.title = text;
    setText(this.#qualityText, text);
  }

  /** @param {number | null} ms  as PeopleList has it */
  heardAfter(ms) {
    const { muted = false, away = false, laterMs = 0 } = this.#person ?? {};
    this.#menu.heardAfter(ms === null || muted || away ? null : ms + laterMs);
  }

  /**
   * @param {number} level 0 to 1
   * @param {boolean} voice true when the sound is a voice
   */
  speaks(level, voice) {
    this.element.classList.toggle('speaking', voice);
    this.element.style.setProperty('--level', level.toFixed(2));
  }
}
