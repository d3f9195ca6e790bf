import { describe, expect, it } from 'vitest';
import { roomPage } from '../../../server/http/room-page.js';

const POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * The page that a request gets, and the headers of its own.
 * @param {string} path
 * @param {{ liveSeconds?: number | null, since?: number | null, embedOrigins?: string[] | null }}
 *   [server] since: when the room went live on another node
 */
async function ask(path, { liveSeconds, since, embedOrigins = null } = {}) {
  const { pathname, searchParams } = new URL(path, 'https://a.example');
  /** @type {{ file: string, headers: Record<string, any> }[]} */
  const sent = [];
  const page = roomPage({
    rooms: {
      inRoom: async () =>
        /** @type {any} */ (liveSeconds === undefined ? 'not-found' : { liveSeconds }),
    },
    cluster:
      since === undefined
        ? undefined
        : { rulesOf: () => /** @type {any} */ ({ broadcast: { key: 'k', since } }) },
    embedOrigins,
    policy: POLICY,
    send: (file, _request, _response, _next, headers = {}) => void sent.push({ file, headers }),
  });
  const request = { params: { room: pathname.slice(3) }, query: Object.fromEntries(searchParams) };
  await page(/** @type {any} */ (request), /** @type {any} */ ({}), () => {});
  return sent[0];
}

const call = { file: 'index.html', headers: {} };
const listen = { file: 'listen/index.html', headers: {} };

describe('the page of a room', () => {
  it('is the call’s, and of a live room the listeners’', async () => {
    expect(await ask('/r/tea')).toEqual(call);
    expect(await ask('/r/tea', { liveSeconds: null })).toEqual(call);
    expect(await ask('/r/tea', { liveSeconds: 0 })).toEqual(listen);
    expect(await ask('/r/tea', { since: 1 })).toEqual(listen);
    expect(await ask('/r/tea', { since: null })).toEqual(call);
  });

  it('is the one that the address asks for', async () => {
    expect(await ask('/r/tea?listen')).toEqual(listen);
    expect(await ask('/r/tea?listen=off')).toEqual(call);
    expect(await ask('/r/tea?listen=call', { liveSeconds: 5 })).toEqual(call);
    expect(await ask('/r/tea?stage', { liveSeconds: 5 })).toEqual(call);
  });

  it('can be framed only by pages that the operator allows, and only for listeners', async () => {
    const { file, headers } = await ask('/r/tea?listen&embed', {
      embedOrigins: ['https://a.example', 'https://b.example:8443'],
    });
    expect(file).toBe('listen/index.html');
    expect(headers['Content-Security-Policy']).toBe(
      "default-src 'none'; frame-ancestors https://a.example https://b.example:8443",
    );
    expect(headers['Permissions-Policy']).toBe('microphone=()');
    expect(await ask('/r/tea?listen', { embedOrigins: ['*'] })).toEqual(listen);
    expect((await ask('/r/tea?embed&stage', { embedOrigins: ['*'] })).file).toBe(
      'listen/index.html',
    );
  });

  it('says in the frame of any page that none may have it, where nobody is allowed', async () => {
    const { file, headers } = await ask('/r/tea?listen&embed');
    expect(file).toBe('listen/no-embedding.html');
    expect(headers['Content-Security-Policy']).toMatch(/frame-ancestors \*$/);
  });
});
