/**
 * Opus codecs that the server can use. docs/codec.md has the measurement behind the default.
 *
 * @typedef {import('../../public/shared/stream/codec.js').Codec & { math?: MixMath }} Codec  math:
 *   native arithmetic of mixes, with a native codec
 * @typedef {import('./mix-math.js').MixMath} MixMath
 * @typedef {import('../../public/shared/stream/codec.js').Encoder} Encoder
 * @typedef {import('../../public/shared/stream/codec.js').Decoder} Decoder
 * @typedef {import('../../public/shared/stream/codec.js').EncoderSettings} EncoderSettings
 * @typedef {import('../../public/shared/stream/codec.js').DecoderSettings} DecoderSettings
 */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../errors/config-error.js';
import { packageDirectory } from '../packages.js';

export { defaultEncoderSettings } from '../../public/shared/stream/codec.js';

/** Path of the package's own module, which its exports don't include. */
const libopusModule = () =>
  pathToFileURL(join(packageDirectory('libopus-wasm'), 'dist/generated/libopus.generated.mjs'));

/** Codecs by name. */
const loaders = Object.freeze({
  native: async () => {
    const [{ createNativeCodec }, { loadOpus, probeLibrary }] = await Promise.all([
      import('./native.js'),
      import('@aloud/native'),
    ]);
    await probeLibrary();
    return createNativeCodec(loadOpus());
  },
  'libopus-wasm': async () => {
    const [{ createLibopusCodec }, { default: createLibopus }] = await Promise.all([
      import('../../public/shared/stream/libopus-codec.js'),
      import(libopusModule().href),
    ]);
    return createLibopusCodec(await createLibopus());
  },
  opusscript: async () => {
    const { createOpusscriptCodec } = await import('./opusscript.js');
    return createOpusscriptCodec();
  },
});

/** @typedef {keyof typeof loaders} CodecName */

export const codecNames = Object.freeze(/** @type {CodecName[]} */ (Object.keys(loaders)));

/**
 * Codecs of `auto`: the fastest, and one that is always available.
 * @type {[CodecName, CodecName]}
 */
const AUTO = ['native', 'libopus-wasm'];

/** @type {Map<string, Promise<Codec>>} */
const loading = new Map();

/**
 * @param {string} [name] one of codecNames, or `auto`
 * @returns {Promise<Codec>} the same one each time, because its instances share one memory
 * @throws {RangeError} for another name
 * @throws {import('@aloud/native').NativeUnavailableError} when it is `native` and isn't built
 */
export async function loadCodec(name = 'auto') {
  if (name === 'auto') return (await openCodec(name)).codec;
  if (!Object.hasOwn(loaders, name)) {
    throw new RangeError(`codec ${name}: allowed are auto, ${codecNames.join(', ')}`);
  }
  let codec = loading.get(name);
  if (!codec) {
    codec = loaders[/** @type {CodecName} */ (name)]();
    loading.set(name, codec);
  }
  return codec;
}

/**
 * Loads a codec, and describes the choice.
 * @param {string} name one of codecNames, or `auto`
 * @returns {Promise<{ codec: Codec, line: string }>} line: a sentence for the person who starts the
 *   server
 * @throws {ConfigError} when it isn't available here
 */
export async function openCodec(name) {
  const [best, spare] = AUTO;
  const wanted = name === 'auto' ? best : name;
  try {
    return { codec: await loadCodec(wanted), line: `The Opus codec is ${wanted}.` };
  } catch (error) {
    const message = await problemOf(error);
    if (name !== 'auto')
      throw new ConfigError({
        option: '--codec',
        value: name,
        allowed: 'auto, or a codec that is there',
        problem: message,
      });
    const line = `The Opus codec is ${spare}, which takes more time than ${best} (${message}).`;
    return { codec: await loadCodec(spare), line };
  }
}

/**
 * Says why a codec is unavailable, and how to get it.
 * @param {unknown} error
 */
async function problemOf(error) {
  const { code, reason, message } = /** @type {import('@aloud/native').NativeUnavailableError} */ (
    error
  );
  if (code !== 'ERR_NATIVE_WITHOUT_OPUS') return message;
  const { buildAdvice } = await import('@aloud/native');
  return `${reason}: ${(await buildAdvice()).command} builds it`;
}
