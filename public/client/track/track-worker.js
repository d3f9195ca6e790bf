import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { createLibopusCodec } from '../../shared/stream/libopus-codec.js';
import { decodePiece, encodePiece } from './track-codec.js';

/**
 * Worker shell of track-codec.js. Messages in: `{ id, encode }`, `{ id, decode }`; out: `{ id,
 * value, error }`.
 */

const page = /** @type {import('../call/types.js').MessageTarget} */ (
  /** @type {unknown} */ (globalThis)
);
const codec = createLibopus().then((module) => createLibopusCodec(module));

page.onmessage = async ({ data: { id, encode, decode } }) => {
  try {
    const value = encode ? encodePiece(await codec, encode) : decodePiece(await codec, decode);
    const transfer = Array.isArray(value) ? value.map(({ buffer }) => buffer) : [];
    page.postMessage({ id, value }, { transfer });
  } catch (error) {
    page.postMessage({ id, error: String(error) });
  }
};
