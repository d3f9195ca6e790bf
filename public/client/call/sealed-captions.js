/**
 * @import { ClientMessages } from '../../shared/messages/client-messages.js'
 * @import { CaptionFields } from '../../shared/messages/fields.js'
 * @import { Primitives } from '../../shared/stream/sframe.js'
 */

import { MAX_CAPTION_LENGTH, MAX_SEALED_CAPTION } from '../../shared/limits.js';
import { SEAL_BYTES } from '../../shared/stream/sframe.js';
import { cleanText, cutCharacters } from '../../shared/text.js';
import { numberOf } from './call-audio.js';
import { Sealing } from './sealing.js';

/** Most bytes of a caption's text: four for each character (RFC 3629). */
const MAX_BYTES = 4 * MAX_CAPTION_LENGTH;

const utf8 = new TextEncoder();

/**
 * Seals and opens the captions of a room with end-to-end encryption, with SFrame as for sound.
 * Their keys have other KIDs than those of sound. Speaker, language and kind are authenticated.
 */
export class SealedCaptions {
  #sealing;
  #you;
  #bytes = new Uint8Array(MAX_BYTES + SEAL_BYTES);

  /**
   * @param {Primitives} primitives
   * @param {Uint8Array} roomKey
   * @param {string} id  one's own
   */
  constructor(primitives, roomKey, id) {
    this.#sealing = new Sealing(primitives, roomKey, id);
    this.#you = id;
  }

  /** @param {ClientMessages['caption']} message @returns {ClientMessages['caption']} */
  seal({ text = '', ...message }) {
    const { person = this.#you, lang, final = true } = message;
    const plain = utf8.encode(cutCharacters(cleanText(text), MAX_CAPTION_LENGTH));
    const length = this.#sealing.sealText(plain, this.#bytes, contextOf({ person, lang, final }));
    const sealed = btoa(String.fromCharCode(...this.#bytes.subarray(0, length)));
    return { ...message, sealed };
  }

  /**
   * @param {CaptionFields} caption  as received
   * @returns {CaptionFields | null} with its text; null when it isn't sealed by its sender, was
   *   changed, or came before
   */
  open({ sealed, ...caption }) {
    try {
      if (typeof sealed !== 'string' || sealed.length > MAX_SEALED_CAPTION) return null;
      const bytes = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0));
      const number = numberOf(caption.from);
      const plain = new Uint8Array(bytes.length);
      const context = contextOf(caption);
      const length = this.#sealing.open(number, bytes, 0, bytes.length, plain, context);
      if (length < 0) return null;
      return { ...caption, text: new TextDecoder().decode(plain.subarray(0, length)) };
    } catch {
      return null;
    }
  }
}

/** @param {Pick<CaptionFields, 'person' | 'lang' | 'final'>} caption */
const contextOf = ({ person, lang, final }) =>
  utf8.encode(`aloud caption\n${person}\n${lang}\n${final}`);
