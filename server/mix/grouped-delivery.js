/**
 * @import { ModeSwitch, Mode } from '../forward/mode-switch.js'
 * @import { Delivery } from './delivery.js'
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { Source } from '../source/source.js'
 */

/**
 * Delivery of a room whose people may be in groups, and whose listeners may choose a language. Each
 * group has a delivery of its own, so nobody outside of it hears it. Each language has one with its
 * interpreters, over the room's mix. Without them there is the room's alone.
 */
export class GroupedDelivery {
  #open;
  #room;
  /** Deliveries of the groups that somebody has entered, by the group's number. */
  #groups = /** @type {Map<number, ModeSwitch>} */ (new Map());
  /** Deliveries of the languages that somebody interprets into, by their tags. */
  #languages = /** @type {Map<string, ModeSwitch>} */ (new Map());
  /** All deliveries, the room's first. @type {ModeSwitch[]} */
  #all;
  /**
   * Deliveries of the sources and listeners that aren't in the room's.
   * @type {Map<Source | Listener | LightListener, ModeSwitch>}
   */
  #places = new Map();
  /** Source that is heard in all groups and in the room. @type {Source | null} */
  #everywhere = null;
  #speakers = 0;

  /**
   * @param {(floor?: ModeSwitch) => ModeSwitch} open opens a delivery, over a floor for a language;
   *   throws `codec-instances`
   */
  constructor(open) {
    this.#open = open;
    this.#room = open();
    this.#all = [this.#room];
  }

  /** @param {Source | Listener | LightListener | null} part */
  #of(part) {
    return (part && this.#places.get(part)) ?? this.#room;
  }

  /** @param {number} group  0: the room */
  #at(group) {
    if (group === 0) return this.#room;
    let delivery = this.#groups.get(group);
    if (delivery) return delivery;
    delivery = this.#open();
    delivery.change(this.#room.mode);
    if (this.#speakers > 0) delivery.setPlaces(this.#speakers);
    this.#groups.set(group, delivery);
    this.#all.push(delivery);
    if (this.#everywhere) delivery.enter(this.#everywhere, null);
    return delivery;
  }

  /**
   * Admits a member to a group, or to the room.
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   * @param {number} [group]
   * @throws {Error} with code 'codec-instances' when the codec can't mix one more group
   */
  enter(source, listener, group = 0) {
    const delivery = this.#at(group);
    delivery.enter(source, listener);
    for (const part of [source, listener]) if (part && group > 0) this.#places.set(part, delivery);
  }

  /** @type {Delivery['leave']} */
  leave(source, listener) {
    if (source !== null && source === this.#everywhere) this.speakEverywhere(null);
    // An interpreter is heard in another delivery than they hear.
    if (source) this.#of(source).leave(source, null);
    if (listener) this.#of(listener).leave(null, listener);
    this.#forget(source, listener);
    this.#closeUnspoken();
  }

  /** @param {Source | null} source @param {Listener | LightListener | null} listener */
  #forget(source, listener) {
    if (source) this.#places.delete(source);
    if (listener) this.#places.delete(listener);
  }

  /**
   * Moves a member to another group, or to the room. The frames that wait there are the first that
   * they hear. What they said before is heard no more: it was for others.
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   * @param {number} group
   * @throws {Error} see enter
   */
  move(source, listener, group) {
    const from = this.#of(source ?? listener);
    const to = this.#at(group);
    if (from === to) return;
    const speaker = this.#everywhere;
    if (speaker !== null && speaker === source) this.#spread(null);
    else source?.hide();
    from.release(source, listener);
    this.#forget(source, listener);
    if (listener && !listener.isLight) listener.hearShared(this.#room.mixedThrough + 1);
    this.enter(source, listener, group);
    if (speaker !== null && speaker === source) this.#spread(source);
  }

  /**
   * Has a source heard in all groups and in the room, from now on.
   * @param {Source | null} source  null: nobody
   */
  speakEverywhere(source) {
    if (source !== this.#everywhere) source?.hide();
    this.#spread(source);
  }

  /** @param {Source | null} source */
  #spread(source) {
    for (const delivery of this.#all) {
      const before = this.#everywhere;
      if (before && delivery !== this.#of(before)) delivery.release(before, null);
      if (source && delivery !== this.#of(source)) delivery.enter(source, null);
    }
    this.#everywhere = source;
  }

  /**
   * Has a source heard by the listeners of a language alone, or by everybody again.
   * @param {Source} source
   * @param {string | null} language
   * @throws {Error} see enter
   */
  interpret(source, language) {
    const from = this.#of(source);
    const to = language === null ? this.#room : this.#languageOf(language);
    if (from === to) return;
    from.release(source, null);
    this.#places.delete(source);
    to.enter(source, null);
    if (to !== this.#room) this.#places.set(source, to);
    this.#closeUnspoken();
  }

  /** @param {string} language */
  #languageOf(language) {
    let delivery = this.#languages.get(language);
    if (delivery) return delivery;
    delivery = this.#open(this.#room);
    if (this.#speakers > 0) delivery.setPlaces(this.#speakers);
    this.#languages.set(language, delivery);
    // Behind the room's, whose mix it has in it.
    this.#all.push(delivery);
    return delivery;
  }

  /**
   * Has a listener hear a language, or the room.
   * @param {LightListener} listener
   * @param {string | null} language  one that somebody interprets into
   */
  listenIn(listener, language) {
    const from = this.#of(listener);
    const to = (language === null ? null : this.#languages.get(language)) ?? this.#room;
    if (from === to) return;
    from.release(null, listener);
    this.#places.delete(listener);
    to.enter(null, listener);
    if (to !== this.#room) this.#places.set(listener, to);
  }

  /** Ends languages without interpreters: their listeners hear the room. */
  #closeUnspoken() {
    for (const [language, delivery] of this.#languages) {
      if (delivery.isSpoken) continue;
      for (const [part, at] of this.#places)
        if (at === delivery) this.listenIn(/** @type {LightListener} */ (part), null);
      this.#languages.delete(language);
      this.#all.splice(this.#all.indexOf(delivery), 1);
      delivery.close();
    }
  }

  /** Ends the groups, which nobody is in any more. */
  closeGroups() {
    for (const delivery of this.#groups.values()) {
      if (this.#everywhere) delivery.release(this.#everywhere, null);
      delivery.close();
    }
    this.#groups.clear();
    this.#places.clear();
    this.#all = [this.#room, ...this.#languages.values()];
    this.#everywhere = null;
  }

  /** Mode that is heard. */
  get mode() {
    return this.#room.mode;
  }

  /** @param {Mode} mode */
  change(mode) {
    for (const delivery of this.#all) delivery.change(mode);
  }

  get sounding() {
    for (let i = 0; i < this.#all.length; i++) if (this.#all[i].sounding) return true;
    return false;
  }

  /** See ModeSwitch. */
  get listenersByRate() {
    return this.#room.listenersByRate;
  }

  get mixedThrough() {
    return this.#room.mixedThrough;
  }

  /** @type {Delivery['whenEnded']} */
  whenEnded(id, then) {
    const isThere = (/** @type {ModeSwitch} */ { ending }) =>
      [...ending].some((source) => source.id === id);
    (this.#all.find(isThere) ?? this.#room).whenEnded(id, then);
  }

  /** @type {Delivery['received']} */
  received(source, frame, packet, bytes) {
    if (source !== this.#everywhere) return this.#of(source).received(source, frame, packet, bytes);
    for (let i = 0; i < this.#all.length; i++) this.#all[i].received(source, frame, packet, bytes);
  }

  /** @param {number} frame */
  tick(frame) {
    for (let i = 0; i < this.#all.length; i++) this.#all[i].tick(frame);
  }

  /** @type {Delivery['reply']} */
  reply(listener, frame) {
    this.#of(listener).reply(listener, frame);
  }

  /** @param {number} places  number of speakers heard at once */
  setPlaces(places) {
    this.#speakers = places;
    for (const delivery of this.#all) delivery.setPlaces(places);
  }

  /** @type {Delivery['setVolume']} */
  setVolume(listener, source, gain, pan) {
    this.#of(listener).setVolume(listener, source, gain, pan);
  }

  listenersChanged() {
    for (const delivery of this.#all) delivery.listenersChanged();
  }

  /** @param {LightListener} listener @param {number} fillMs */
  nearer(listener, fillMs) {
    this.#of(listener).nearer(listener, fillMs);
  }

  /** @type {NonNullable<Delivery['setRelayed']>} */
  setRelayed(relays, indices) {
    this.#room.setRelayed(relays, indices);
  }

  redundancyChanged() {
    for (const delivery of this.#all) delivery.redundancyChanged();
  }

  /** Idempotent. */
  close() {
    // A source is closed once, by the delivery that it is in.
    if (this.#everywhere) this.speakEverywhere(null);
    for (const delivery of this.#all) delivery.close();
  }
}
