declare module '*/libopus.generated.mjs' {
  export default function createLibopus(): Promise<import('../../shared/libopus-codec.js').LibopusModule>;
}
