/**
 * @import { Mix } from '../mix/tick-mix.js'
 * @import { Participant } from './member.js'
 * @import { People } from './roster.js'
 * @import { RoomDelay } from '../clock/room-delay.js'
 */

/** What somebody in a room can ask for: how they are heard, and how they hear. */
export class Controls {
  #people;
  #delay;
  #mix;
  #maxDelayMs;
  #nextHand = 1;

  /** @param {{ people: People, delay: RoomDelay, mix: Mix, maxDelayMs: number }} room */
  constructor({ people, delay, mix, maxDelayMs }) {
    this.#people = people;
    this.#delay = delay;
    this.#mix = mix;
    this.#maxDelayMs = maxDelayMs;
  }

  /**
   * @param {Participant} participant
   * @param {boolean} muted
   */
  mute(participant, muted) {
    if (participant.muted === muted) return;
    participant.muted = muted;
    this.#people.changed(participant);
  }

  /**
   * Raises somebody's hand, or takes it down. Hands are numbered in the order in which they go up.
   * @param {Participant} participant
   * @param {boolean} raised
   */
  raiseHand(participant, raised) {
    if (participant.hand > 0 === raised) return;
    participant.hand = raised ? this.#nextHand++ : 0;
    this.#people.changed(participant);
  }

  /**
   * Sets how far behind its own clock one participant reads, and tells it what it had heard until then.
   * @param {Participant} participant
   * @param {number} serverDelayMs at most the settings' maxDelayMs
   * @returns {boolean} false when it can't have a delay of its own, since its delivery isn't `reply`
   */
  delay(participant, serverDelayMs) {
    if (participant.delivery !== 'reply' || serverDelayMs > this.#maxDelayMs) return false;
    const before = {
      serverDelayMs: this.#delay.msOf(participant),
      ...participant.heard.takeSpan(),
    };
    participant.readAt(serverDelayMs);
    this.#mix.peopleChanged();
    participant.session.sendControl({ type: 'delayed', serverDelayMs, before });
    return true;
  }

  /**
   * Sets how loud one listener hears another: nobody else hears a difference.
   * @param {Participant} listener
   * @param {string} id  of the other
   * @param {number} gain  0: not at all; 1: as everybody does
   * @returns {boolean} false when nobody else in the room has that id
   */
  setVolume(listener, id, gain) {
    const person = this.#people.present.get(id);
    if (person === undefined || person === listener) return false;
    this.#mix.setVolume(listener, person, gain);
    return true;
  }

  /**
   * @param {Participant} listener
   * @param {number} lostPercent of what was sent to it lately
   */
  report(listener, lostPercent) {
    listener.reportedLossPercent = lostPercent;
    listener.downlink.redundancy.report(lostPercent);
    this.#mix.redundancyChanged();
  }
}
