import { MAX_LISTED_SPEAKERS, VOICE_BIT } from '../../public/shared/packet.js';

/** Who is in a mix, as packets list it: so many at most. */
export class SpeakerList {
  count = 0;
  ids = new Uint16Array(MAX_LISTED_SPEAKERS);
  levels = new Uint8Array(MAX_LISTED_SPEAKERS);

  clear() {
    this.count = 0;
  }

  /**
   * @param {number} number the participant's, modulo 2^16
   * @param {number} level of its sound, in -dBov
   * @param {boolean} voice whether there is voice in it
   */
  add(number, level, voice) {
    if (this.count === MAX_LISTED_SPEAKERS) return;
    this.ids[this.count] = number;
    this.levels[this.count] = level | (voice ? VOICE_BIT : 0);
    this.count += 1;
  }
}
