import { expect, it, vi } from 'vitest';
import { NO_CALL } from '../../../public/client/call/call-view.js';
import { Store } from '../../../public/client/call/store.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';

/** @type {FakeClient[]} */
const clients = [];

class FakeClient {
  /** @type {Store<any>} */
  store = new Store(NO_CALL);
  state = 'joined';
  speaks = false;

  constructor() {
    clients.push(this);
  }

  async join() {
    this.store.set({ joined: {} });
    this.store.set({ state: 'joined' });
    return { format: createAudioFormat() };
  }

  capture() {}

  render() {}

  leave() {}
}

vi.mock('../../../public/client/call/call-client.js', () => ({ CallClient: FakeClient }));

it('a program learns that its call is at another node, after a break or without one', async () => {
  const { join } = await import('../../../programs/client.js');
  const call = await join({ url: 'http://localhost/r/tea' });
  try {
    /** @type {string[]} */
    const events = [];
    for (const name of /** @type {const} */ (['reconnecting', 'reconnected']))
      call.on(name, () => events.push(name));
    const [{ store }] = clients;
    store.set({ session: 2 });
    expect(events).toEqual([]);
    store.set({ joined: {} });
    expect(events.splice(0)).toEqual(['reconnected']);
    store.set({ state: 'away' });
    store.set({ joined: {} });
    store.set({ state: 'joined' });
    expect(events).toEqual(['reconnecting', 'reconnected']);
  } finally {
    await call.leave();
  }
});
