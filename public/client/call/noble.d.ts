declare module '*/noble-ciphers/aes.js' {
  export const ctr: import('../../shared/stream/sframe.js').Primitives['ctr'];
}
declare module '*/noble-hashes/hkdf.js' {
  export const extract: import('../../shared/stream/sframe.js').Primitives['extract'];
  export const expand: import('../../shared/stream/sframe.js').Primitives['expand'];
}
declare module '*/noble-hashes/hmac.js' {
  export const hmac: import('../../shared/stream/sframe.js').Primitives['hmac'];
}
declare module '*/noble-hashes/sha2.js' {
  export const sha256: unknown;
}
