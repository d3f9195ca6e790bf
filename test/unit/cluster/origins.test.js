import { describe, expect, it } from 'vitest';
import { shareWithNodes } from '../../../server/cluster/open-cluster.js';

const share = shareWithNodes((origin) => origin === 'https://a.example');

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

describe('a page of another node', () => {
  it.each([
    '/api/config?room=tea',
    '/api/config',
    '/api/sessions',
    '/api/sessions/abc/packets',
    '/api/tracks/a/0',
    '/api/recordings/a/',
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
    '/public/app.js',
    '/api/sessionsx',
  ])('may not read %s', (url) => {
    for (const method of ['GET', 'OPTIONS', 'POST'])
      expect(ask(url, 'https://a.example', method)).toEqual({
        answered: false,
        status: 0,
        headers: {},
      });
  });

  it('is one of the cluster', () => {
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
