/** How loud one hears others whose voices come one by one, and in a stereo room from where. */
export class VoiceGains {
  /** By the speaker's number. @type {Map<number, { left: number, right: number }>} */
  #gains = new Map();
  #isStereo;

  /** @param {number} channels of the room */
  constructor(channels) {
    this.#isStereo = channels === 2;
  }

  /**
   * @param {number} number the speaker's
   * @param {number} gain 0 and more; 1: as everybody hears them
   * @param {number} pan -1, on the left alone, to 1, on the right alone; nothing in a mono room
   */
  set(number, gain, pan) {
    const place = this.#isStereo ? pan : 0;
    const [left, right] = [gain * Math.min(1, 1 - place), gain * Math.min(1, 1 + place)];
    if (left === 1 && right === 1) this.#gains.delete(number);
    else this.#gains.set(number, { left, right });
  }

  /** @param {number} number the speaker's @returns {number} of mono, or the left side */
  left(number) {
    return this.#gains.get(number)?.left ?? 1;
  }

  /** @param {number} number the speaker's */
  right(number) {
    return this.#gains.get(number)?.right ?? 1;
  }
}
