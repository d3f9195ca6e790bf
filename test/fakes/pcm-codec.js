/**
 * A codec that keeps every eighth sample of each channel unchanged, in 16 bits, behind a check
 * byte. It isn't Opus, so that a room's test sees the room's effects, not a codec's.
 */

const CHECK = 0xa5;
const SCALE = 32767;
const STRIDE = 8;

/** Counts open instances, so that tests find leaks. */
export class PcmCodec {
  name = 'pcm';
  conceals = true;
  maxInstances = Infinity;
  maxFrameValues = 5760;
  open = 0;

  /** @param {{ frameSamples: number, channels?: number }} shape */
  createEncoder = ({ frameSamples, channels = 1 }) => {
    this.open += 1;
    const frameValues = frameSamples * channels;
    const begun = new Float32Array(frameValues);
    const encode = (
      /** @type {Float32Array} */ pcm,
      /** @type {Uint8Array} */ out,
      /** @type {number} */ at,
    ) => {
      out[at] = CHECK;
      let end = at + 1;
      for (let i = 0; i < frameValues; i += STRIDE * channels) {
        for (let c = 0; c < channels; c++) {
          const value = Math.round(pcm[i + c] * SCALE);
          out[end++] = value >> 8;
          out[end++] = value;
        }
      }
      return end - at;
    };
    return {
      lookahead: 0,
      encode,
      /** @param {Float32Array} pcm */
      begin: (pcm) => {
        begun.set(pcm);
        return true;
      },
      /** @param {Uint8Array} out @param {number} at */
      end: (out, at) => encode(begun, out, at),
      setComplexity: () => {},
      setMono: () => {},
      setPrediction: () => {},
      close: this.#closer(),
    };
  };

  /** @param {{ frameSamples: number, channels?: number }} shape */
  createDecoder = ({ frameSamples, channels = 1 }) => {
    this.open += 1;
    const frameValues = frameSamples * channels;
    let begun = new Uint8Array(0);
    /** @type {import('../../public/shared/stream/codec.js').Decoder['decode']} */
    const decode = (bytes, start, length, out, at) => {
      if (bytes[start] !== CHECK || length !== 1 + 2 * channels * Math.ceil(frameSamples / STRIDE))
        return false;
      for (let i = 0; i < frameValues; i++) {
        const from =
          start + 1 + 2 * (channels * Math.floor(i / channels / STRIDE) + (i % channels));
        out[at + i] = (((bytes[from] << 24) >> 16) | bytes[from + 1]) / SCALE;
      }
      return true;
    };
    return {
      decode,
      /** @param {Uint8Array} bytes @param {number} start @param {number} length */
      begin: (bytes, start, length) => {
        begun = bytes.slice(start, start + length);
        return true;
      },
      /** @param {Float32Array} out @param {number} at */
      end: (out, at) => decode(begun, 0, begun.length, out, at),
      /** @param {Float32Array} out @param {number} at */
      conceal: (out, at) => {
        for (let i = 0; i < frameValues; i++) out[at + i] = CONCEALED;
      },
      close: this.#closer(),
    };
  };

  #closer() {
    let closed = false;
    return () => {
      if (!closed) this.open -= 1;
      closed = true;
    };
  }
}

/** The value of every concealed sample. */
export const CONCEALED = 0.125;
