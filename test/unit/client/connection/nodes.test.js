import { describe, expect, it } from 'vitest';
import { configOf, locate } from '../../../../public/client/connection/nodes.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

const OWN = { transports: { websocket: { path: '/session' } } };
const NODE = {
  id: 'b',
  url: 'https://b.example:8443',
  h3Port: 4433,
  certificateHashes: ['aGFzaA=='],
};

/**
 * Nodes that answer after a time, or never.
 * @param {Record<string, { ms?: number, fails?: boolean, answer?: object }>} nodes
 */
function network(nodes) {
  const clock = new FakeClock();
  /** @type {string[]} */
  const asked = [];
  const fetch = (/** @type {string} */ url, /** @type {{ signal: AbortSignal }} */ { signal }) =>
    new Promise((resolve, reject) => {
      asked.push(url);
      const { ms, fails = false, answer = OWN } = nodes[new URL(url).origin];
      signal.addEventListener('abort', () => reject(signal.reason));
      if (ms !== undefined)
        clock.setTimeout(
          () =>
            fails
              ? reject(new TypeError('refused'))
              : resolve({ ok: true, json: async () => answer }),
          ms,
        );
    });
  /** @param {Promise<any>} promise @param {number} ms */
  const within = async (promise, ms) => {
    let result = /** @type {any} */ ('nothing yet');
    promise.then(
      (value) => (result = value),
      (error) => (result = error.code),
    );
    for (let i = 0; i < ms; i += 10) {
      clock.advance(10);
      for (let j = 0; j < 10; j++) await null;
    }
    return result;
  };
  return { clock, asked, fetch: /** @type {any} */ (fetch), within };
}

const [A, B, C] = ['http://a', 'http://b', 'http://c'];

describe('finding the node of a room', () => {
  it('takes the first answer, and asks nobody else', async () => {
    const { clock, asked, fetch, within } = network({ [A]: { ms: 20 }, [B]: { ms: 0 } });
    expect(await within(locate([A, B], 'tea', { fetch, clock }), 50)).toEqual({
      origin: A,
      config: OWN,
    });
    await within(Promise.resolve(), 1000);
    expect(asked).toEqual(['http://a/api/config?room=tea']);
    expect(clock.waiting).toBe(0);
  });

  it('goes to the node that is named', async () => {
    const { clock, fetch, within } = network({ [A]: { ms: 20, answer: { ...OWN, node: NODE } } });
    const { origin, config } = await within(locate([A], 'tea', { fetch, clock }), 50);
    expect(origin).toBe('https://b.example:8443');
    expect(config).toEqual({
      transports: {
        webtransport: { url: 'https://b.example:4433/session', certificateHashes: ['aGFzaA=='] },
        websocket: { path: 'https://b.example:8443/session' },
        http1: { path: 'https://b.example:8443/api/sessions' },
      },
    });
    expect(configOf({ ...NODE, h3Port: null }).transports.webtransport).toBe(null);
  });

  it('stays at the server that names a node without an address', async () => {
    const answer = { ...OWN, node: { ...NODE, url: 'nowhere' } };
    const { clock, fetch, within } = network({ [A]: { ms: 20, answer } });
    expect(await within(locate([A], 'tea', { fetch, clock }), 50)).toEqual({
      origin: A,
      config: answer,
    });
  });

  it('asks the next at once where one refuses, and soon where one says nothing', async () => {
    const { clock, asked, fetch, within } = network({
      [A]: { ms: 10, fails: true },
      [B]: {},
      [C]: { ms: 10 },
    });
    expect(await within(locate([A, B, C], 'tea', { fetch, clock }), 350)).toEqual({
      origin: C,
      config: OWN,
    });
    expect(asked).toHaveLength(3);
  });

  it('ends where none answers', async () => {
    const { clock, fetch, within } = network({ [A]: { ms: 10, fails: true }, [B]: {} });
    expect(await within(locate([A, B], undefined, { fetch, clock }), 6000)).toBe(
      'connection-failed',
    );
    expect(clock.waiting).toBe(0);
  });
});
