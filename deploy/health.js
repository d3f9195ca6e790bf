/**
 * Health check for containers, which have no curl: exits with 0 if the server on this machine is
 * well. It asks at the port of the server's own options.
 */

import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isHttps, loadConfig } from '../server/config/config.js';

const TIMEOUT_MS = 4000;

const config = loadConfig({ argv: process.argv.slice(2), env: process.env });
const isAny = config.host === '::' || config.host === '0.0.0.0';
const options = {
  host: isAny ? '127.0.0.1' : config.host,
  port: config.port,
  path: '/api/health',
  timeout: TIMEOUT_MS,
  headers: { Host: config.domains?.[0] ?? 'localhost' },
};

/** @param {string} problem */
function fail(problem) {
  console.error(`aloud is not well: ${problem}`);
  process.exit(1);
}

const ask = isHttps(config) ? requestHttps : requestHttp;
// The certificate doesn't matter here: it may be the temporary one, before the authority has issued
// one.
ask({ ...options, rejectUnauthorized: false }, (answer) => {
  answer.resume();
  if (answer.statusCode !== 200)
    fail(`GET ${options.path} answered with status ${answer.statusCode}`);
})
  .on('timeout', () => fail(`no answer within ${TIMEOUT_MS} ms`))
  .on('error', (error) => fail(error.message))
  .end();
