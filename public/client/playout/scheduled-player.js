/** Time by which buffers are scheduled ahead of the sound card, in seconds. */
const LEAD_S = 0.12;

/** Interval between checks for more sound, in milliseconds. */
const POLL_MS = 20;

/** Maximum number of frames asked for before the first of them arrives. */
const MAX_WANTED = 16;

/**
 * Plays frames by scheduling one buffer after the other, in browsers without shared memory or
 * AudioWorklet. It adds more delay than the worklet, and a busy page causes audible gaps.
 */
export class ScheduledPlayer {
  #context;
  #output;
  #pull;
  #timer;
  #requested = 0;
  #requestedMs = 0;
  #frameSeconds = 0.02;
  #endsAt = 0;

  /** Number of times that sound ran out. */
  underruns = 0;

  /**
   * @param {BaseAudioContext} context
   * @param {AudioNode} output
   * @param {(frames: number, leadMs: number) => void} pull asks for frames, which arrive through
   *   add(), and tells how long they will wait before they play
   * @param {{ setInterval(run: () => void, ms: number): unknown, clearInterval(timer: unknown):
   *   void, now(): number }} [time]
   */
  constructor(context, output, pull, time = pageTime) {
    this.#context = context;
    this.#output = output;
    this.#pull = pull;
    this.time = time;
    this.#timer = time.setInterval(() => this.#poll(), POLL_MS);
  }

  #poll() {
    if (this.#context.state !== 'running') return;
    const now = this.time.now();
    // Forgets requests without an answer, such as those made before the room was joined.
    if (now - this.#requestedMs > 1000) this.#requested = 0;
    const ahead = Math.max(0, this.#endsAt - this.#context.currentTime);
    const missing = Math.ceil((LEAD_S - ahead) / this.#frameSeconds) - this.#requested;
    if (missing <= 0 || this.#requested >= MAX_WANTED) return;
    const frames = Math.min(missing, MAX_WANTED - this.#requested);
    this.#requested += frames;
    this.#requestedMs = now;
    this.#pull(frames, 1000 * LEAD_S);
  }

  /**
   * @param {Float32Array<ArrayBuffer>} samples the next ones, interleaved when stereo
   * @param {number} [channels]
   */
  add(samples, channels = 1) {
    if (this.#requested > 0) this.#requested -= 1;
    if (samples.length === 0) return;
    const buffer = this.#context.createBuffer(
      channels,
      samples.length / channels,
      this.#context.sampleRate,
    );
    for (let c = 0; c < channels; c++) {
      const side = channels === 1 ? samples : samples.filter((_, i) => i % channels === c);
      buffer.copyToChannel(side, c);
    }
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#output);
    const now = this.#context.currentTime;
    if (this.#endsAt < now) {
      if (this.#endsAt > 0) this.underruns += 1;
      this.#endsAt = now + LEAD_S / 4;
    }
    source.start(this.#endsAt);
    this.#endsAt += buffer.duration;
    this.#frameSeconds = buffer.duration;
  }

  /** Idempotent. */
  close() {
    this.time.clearInterval(this.#timer);
  }
}

const pageTime = {
  setInterval: (/** @type {() => void} */ run, /** @type {number} */ ms) => setInterval(run, ms),
  clearInterval: (/** @type {unknown} */ timer) => clearInterval(/** @type {number} */ (timer)),
  now: () => performance.now(),
};
