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

/** The package's own module; its exports don't lead there. */
const LIBOPUS = new URL('../../node_modules/libopus-wasm/dist/generated/libopus.generated.mjs', import.meta.url);

/** The codecs by name. */
const loaders = Object.freeze({
  'libopus-wasm': async () => {
    const [{ createLibopusCodec }, { default: createLibopus }] = await Promise.all([
      import('../../public/shared/libopus-codec.js'),
      import(LIBOPUS.href),
    ]);
    return createLibopusCodec(await createLibopus());
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
