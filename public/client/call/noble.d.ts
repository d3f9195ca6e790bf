declare module '*/noble-ciphers/aes.js' {
  export const ctr: import('../../shared/sframe.js').Primitives['ctr'];
}
declare module '*/noble-hashes/hkdf.js' {
  export const extract: import('../../shared/sframe.js').Primitives['extract'];
  export const expand: import('../../shared/sframe.js').Primitives['expand'];
}
declare module '*/noble-hashes/hmac.js' {
  export const hmac: import('../../shared/sframe.js').Primitives['hmac'];
}
declare module '*/noble-hashes/sha2.js' {
  export const sha256: unknown;
}
