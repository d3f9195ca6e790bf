/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { Joined } from './client-types.js'
 */

import { createAudioFormat } from '../../shared/audio-format.js';
import { People } from './people.js';

/** What the server has told of the room, and of one's own place in it. */
export class RoomState {
  /** @type {Record<string, any>} the server's welcome; the delay as it was told last */
  welcome = {};
  people = new People();
  /** Of the place in the room. @type {string | undefined} */
  token = undefined;
  /** How it receives this one, as it told last. @type {Record<string, unknown> | null} */
  stats = null;
  /** Why the server said that it would close. @type {{ code: string, message: string } | null} */
  closing = null;

  /**
   * @param {Record<string, any>} message a control message of the server
   * @returns {boolean} whether anything about the people has changed
   */
  update(message) {
    const { type, resume, serverDelayMs } = message;
    if (type === 'welcome') {
      this.welcome = message;
      if (typeof resume === 'string') this.token = resume;
    } else if (type === 'delay' && Number.isFinite(serverDelayMs)) {
      this.welcome = { ...this.welcome, serverDelayMs };
    } else if (type === 'stats') {
      this.stats = message;
    } else if (type === 'closing') {
      this.closing = { code: String(message.code), message: String(message.message) };
    }
    return this.people.update(message);
  }

  /** @returns {AudioFormat} throws a RangeError when the server's can't be */
  readFormat() {
    const { sampleRate, channels, frameMs, opusFrames } = this.welcome.format ?? {};
    return createAudioFormat({ sampleRate, channels, frameMs, opusFrames });
  }

  /** Whether silence may be left out: with `reply` each packet asks for its answer. */
  get allowsSilence() {
    return this.welcome.delivery === 'tick' && this.welcome.silenceSuppression === true;
  }

  /**
   * @param {string} leaveUrl
   * @returns {Joined}
   */
  joined(leaveUrl) {
    const { you, delivery, serverDelayMs } = this.welcome;
    return { you, format: this.readFormat(), delivery, serverDelayMs, resume: this.token ?? '', leaveUrl };
  }
}
