/** @import { Primitives } from '../../shared/stream/sframe.js' */

/**
 * Loads what end-to-end encryption is made of, in a browser. Few calls need it.
 * @returns {Promise<Primitives>}
 */
export async function loadPrimitives() {
  const [{ ctr }, { expand, extract }, { hmac }, { sha256 }] = await Promise.all([
    import('/vendor/noble-ciphers/aes.js'),
    import('/vendor/noble-hashes/hkdf.js'),
    import('/vendor/noble-hashes/hmac.js'),
    import('/vendor/noble-hashes/sha2.js'),
  ]);
  return { ctr, expand, extract, hmac, sha256 };
}
