/**
 * The Opus codecs that the server can use. docs/codec.md has the measurement by which the default was
 * chosen.
 *
 * @typedef {import('../../public/shared/codec.js').Codec} Codec
 * @typedef {import('../../public/shared/codec.js').Encoder} Encoder
 * @typedef {import('../../public/shared/codec.js').Decoder} Decoder
 * @typedef {import('../../public/shared/codec.js').EncoderSettings} EncoderSettings
 * @typedef {import('../../public/shared/codec.js').DecoderSettings} DecoderSettings
 */

export { defaultEncoderSettings } from '../../public/shared/codec.js';

/** The codecs by name. */
const loaders = Object.freeze({
  'libopus-wasm': async () => {
    const [{ createLibopusCodec }, module] = await Promise.all([
      import('../../public/shared/libopus-codec.js'),
      import('libopus-wasm'),
    ]);
    return createLibopusCodec(module);
  },
  opusscript: async () => {
    const { createOpusscriptCodec } = await import('./opusscript-codec.js');
    return createOpusscriptCodec();
  },
});

/** @typedef {keyof typeof loaders} CodecName */

export const codecNames = Object.freeze(/** @type {CodecName[]} */ (Object.keys(loaders)));

/** @type {CodecName} */
export const defaultCodec = 'libopus-wasm';

/** @type {Map<string, Promise<Codec>>} */
const loading = new Map();

/**
 * @param {string} [name] one of codecNames
 * @returns {Promise<Codec>} the same one each time, since its instances share one memory
 * @throws {RangeError} for another name
 */
export async function loadCodec(name = defaultCodec) {
  if (!Object.hasOwn(loaders, name)) {
    throw new RangeError(`codec ${name}: allowed are ${codecNames.join(', ')}`);
  }
  let codec = loading.get(name);
  if (!codec) {
    codec = loaders[/** @type {CodecName} */ (name)]();
    loading.set(name, codec);
  }
  return codec;
}
