import { describe, expect, it } from 'vitest';
import { allowedOrigins, shareWith } from '../../../server/http/sharing.js';

const share = shareWith((origin) => origin === 'https://a.example');

/** @param {string} url @param {string} [origin] @param {string} [method] */
function ask(url, origin, method = 'GET') {
  /** @type {Record<string, unknown>} */
  const headers = {};
  let status = 0;
  const response = {
    setHeader: (/** @type {string} */ name, /** @type {unknown} */ value) =>
      void (headers[name] = value),
    writeHead: (/** @type {number} */ code, /** @type {object} */ more) =>
      void ((status = code), Object.assign(headers, more)),
    end: () => {},
  };
  const answered = share(
    /** @type {any} */ ({ url, method, headers: { origin } }),
    /** @type {any} */ (response),
  );
  return { answered, status, headers };
}

describe('a page of another, allowed origin', () => {
  it.each([
    '/api/config?room=tea',
    '/api/config',
    '/api/sessions',
    '/api/sessions/abc/packets',
    '/api/tracks/a/0',
    '/api/recordings/a/',
    '/public/aloud.js',
    '/worklets/playback-processor.js',
    '/vendor/libopus-wasm/generated/libopus.generated.mjs',
  ])('may read %s', (url) => {
    expect(ask(url, 'https://a.example')).toEqual({
      answered: false,
      status: 0,
      headers: { Vary: 'Origin', 'Access-Control-Allow-Origin': 'https://a.example' },
    });
    expect(ask(url, 'https://a.example', 'OPTIONS')).toMatchObject({ answered: true, status: 204 });
  });

  it.each([
    '/api/rooms/tea',
    '/api/status',
    '/api/drain',
    '/api/configure',
    '/',
    '/publicx/app.js',
    '/r/tea',
    '/admin',
    '/api/sessionsx',
  ])('may not read %s', (url) => {
    for (const method of ['GET', 'OPTIONS', 'POST'])
      expect(ask(url, 'https://a.example', method)).toEqual({
        answered: false,
        status: 0,
        headers: {},
      });
  });

  it('must be allowed', () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://a.example',
      'https://a.example:8443',
    ]) {
      for (const method of ['GET', 'OPTIONS'])
        expect(ask('/api/config', origin, method)).toEqual({
          answered: false,
          status: 0,
          headers: { Vary: 'Origin' },
        });
    }
    expect(ask('/api/config').headers).toEqual({});
  });
});

describe('the allowed origins', () => {
  const isNode = (/** @type {string | undefined} */ origin) => origin === 'https://node.example';

  it('are the nodes of the cluster and those of --embed-origins', () => {
    const allows = allowedOrigins(isNode, ['https://site.example']);
    expect(allows?.('https://node.example')).toBe(true);
    expect(allows?.('https://site.example')).toBe(true);
    expect(allows?.('http://site.example')).toBe(false);
    expect(allows?.(undefined)).toBe(false);
    expect(allowedOrigins(undefined, ['https://site.example'])?.('https://node.example')).toBe(
      false,
    );
  });

  it('are not all origins because all may show a frame', () => {
    expect(allowedOrigins(undefined, ['*'])).toBeUndefined();
    expect(allowedOrigins(undefined, null)).toBeUndefined();
    expect(allowedOrigins(isNode, ['*'])?.('https://evil.example')).toBe(false);
  });
});
