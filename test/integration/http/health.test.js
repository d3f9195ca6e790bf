/**
 * The health check of containers, as Docker runs it: against servers that answer what a test says.
 */

import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { generateCertificate } from '../../../server/certificate/generate.js';

const CHECK = fileURLToPath(new URL('../../../deploy/health.js', import.meta.url));

/** @type {import('node:http').Server[]} */
const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** @param {import('node:http').Server} server @returns {Promise<number>} its port */
function listening(server) {
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
    );
  });
}

/** @param {Record<string, string>} env @returns {Promise<{ code: number, stderr: string }>} */
const check = (env) =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CHECK],
      { env: { PATH: process.env.PATH, ...env } },
      (_error, _stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, stderr });
      },
    );
  });

/** @param {number} status @returns {import('node:http').RequestListener} */
const answering = (status) => (request, response) => {
  const isRight =
    request.url === '/api/health' &&
    /^(localhost|call\.example\.org)$/.test(request.headers.host ?? '');
  response.writeHead(isRight ? status : 400).end('{}');
};

describe('the health check', () => {
  it('passes where /api/health answers, and tells what is wrong where it does not', async () => {
    const well = await listening(createServer(answering(200)));
    expect(await check({ ALOUD_PORT: String(well) })).toEqual({ code: 0, stderr: '' });
    const ill = await listening(createServer(answering(503)));
    const told = await check({ ALOUD_PORT: String(ill), ALOUD_HOST: '127.0.0.1' });
    expect(told).toEqual({
      code: 1,
      stderr: 'aloud is not well: GET /api/health answered with status 503\n',
    });
    servers.splice(0).forEach((server) => server.close());
    expect(await check({ ALOUD_PORT: String(ill) })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it("takes any certificate: the one of the first start is nobody's", async () => {
    const { certPem: cert, keyPem: key } = await generateCertificate({
      hosts: ['a.example'],
      now: new Date(),
    });
    const port = await listening(createSecureServer({ cert, key }, answering(200)));
    const env = {
      ALOUD_DOMAIN: 'call.example.org',
      ALOUD_ACME_EMAIL: 'ann@example.org',
      ALOUD_PORT: String(port),
    };
    expect(await check(env)).toEqual({ code: 0, stderr: '' });
  });
});
