declare module '*/libopus.generated.mjs' {
  export default function createLibopus(): Promise<
    import('../../shared/stream/libopus-codec.js').LibopusModule
  >;
}
