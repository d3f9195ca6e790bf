import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Sounds } from '../../../public/ui/call/sounds.js';

/** Contexts so far, and notes that were made in one. @type {FakeContext[]} */
let contexts = [];
let notes = 0;

class FakeContext {
  state = 'suspended';
  currentTime = 0;
  /** Lets it run. */
  run = () => {};
  #running = new Promise((resolve) => (this.run = () => resolve(undefined)));

  constructor() {
    contexts.push(this);
  }

  resume() {
    return this.#running;
  }

  async suspend() {
    if (this.state === 'closed') throw new DOMException('it is closed', 'InvalidStateError');
    this.state = 'suspended';
  }

  async close() {
    this.state = 'closed';
  }
}

class FakeNode {
  gain = { setValueAtTime() {}, linearRampToValueAtTime() {}, setTargetAtTime() {} };

  constructor() {
    notes += 1;
  }

  connect = (/** @type {unknown} */ to) => to;

  start() {}

  stop() {}
}

beforeEach(() => {
  [contexts, notes] = [[], 0];
  vi.useFakeTimers();
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('GainNode', FakeNode);
  vi.stubGlobal('OscillatorNode', FakeNode);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('the page’s own sounds rest after a while', async () => {
  const sounds = new Sounds();
  const played = sounds.play('came');
  await vi.advanceTimersByTimeAsync(0);
  contexts[0].run();
  expect(await played).toBe(true);
  expect(notes).toBe(4);
  contexts[0].state = 'running';
  await vi.advanceTimersByTimeAsync(5000);
  expect(contexts[0].state).toBe('suspended');
});

it('a sound that a call’s end overtakes is not heard, and its context is left alone', async () => {
  const sounds = new Sounds();
  const played = sounds.play('went');
  await vi.advanceTimersByTimeAsync(0);
  sounds.close();
  contexts[0].run();
  await played;
  const suspended = vi.spyOn(contexts[0], 'suspend').mockResolvedValue(undefined);
  await vi.advanceTimersByTimeAsync(5000);
  expect([notes, suspended.mock.calls.length]).toEqual([0, 0]);
});

it('a context is left alone after a call’s end that two sounds had waited for', async () => {
  const sounds = new Sounds();
  const played = [sounds.play('came')];
  await vi.advanceTimersByTimeAsync(1000);
  played.push(sounds.play('went'));
  await vi.advanceTimersByTimeAsync(0);
  contexts[0].run();
  await Promise.all(played);
  const suspended = vi.spyOn(contexts[0], 'suspend').mockResolvedValue(undefined);
  sounds.close();
  await vi.advanceTimersByTimeAsync(5000);
  expect(suspended).not.toHaveBeenCalled();
});

it('a sound that follows one at once says, too, that there is no such speaker', async () => {
  const sounds = new Sounds();
  sounds.speaker('gone');
  const played = sounds.play('test');
  await vi.advanceTimersByTimeAsync(0);
  contexts[0].run();
  expect([await played, await sounds.play('test')]).toEqual([false, false]);
});
