/**
 * Global scope of an AudioWorklet (Web Audio API 1.1, section 1.32): no DOM, no fetch, no timers.
 */

declare abstract class AudioWorkletProcessor {
  constructor(options?: AudioWorkletProcessorOptions);
  readonly port: AudioWorkletPort;
  /** Called for each render quantum; true keeps the processor alive while nothing is connected. */
  abstract process(
    inputs: Float32Array[][],
    outputs: Float32Array[][],
    parameters: Record<string, Float32Array>,
  ): boolean;
}

interface AudioWorkletProcessorOptions {
  numberOfInputs?: number;
  numberOfOutputs?: number;
  outputChannelCount?: number[];
  processorOptions?: any;
}

interface AudioWorkletPort {
  onmessage: ((event: { readonly data: any }) => void) | null;
  postMessage(message: any, transfer?: any[]): void;
  start(): void;
  close(): void;
}

declare function registerProcessor(
  name: string,
  processor: new (options: AudioWorkletProcessorOptions) => AudioWorkletProcessor,
): void;

/** The number of the render quantum's first sample. */
declare const currentFrame: number;
/** The same in seconds. */
declare const currentTime: number;
/** The audio context's rate, in Hz. */
declare const sampleRate: number;
