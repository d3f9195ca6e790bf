/**
 * @import { Config } from '../config/config.js'
 * @import { Running } from './finding.js'
 */

import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { EVERY_HOST, isHttps } from '../config/config.js';

/** Longest wait for an answer, in milliseconds. */
const ANSWER_MS = 3000;

/** Longest answer, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Host at which this machine reaches its own server. @param {Pick<Config, 'host'>} config */
export const ownHost = ({ host }) => (EVERY_HOST.has(host) ? 'localhost' : host);

/**
 * Asks the server that runs at the page's port, whatever its certificate.
 * @param {Config} config
 * @returns {Promise<Running | null>} null without one
 */
export async function findRunning(config) {
  if (config.port === 0) return null;
  try {
    const { status, version } = await getJson(config, '/api/health');
    if (status !== 'ok') return null;
    const { transports } = await getJson(config, '/api/config');
    return {
      version: String(version ?? 'unknown'),
      webtransport: transports?.webtransport ?? null,
    };
  } catch {
    // Nothing answers there as a server would.
    return null;
  }
}

/**
 * Asks whatever answers at an address as a browser would, which checks its certificate.
 * @param {string} url
 * @returns {Promise<string>} version of the aloud server there
 * @throws {Error} why there is none
 */
export async function versionAt(url) {
  const answer = await fetch(new URL('/api/health', url), {
    signal: AbortSignal.timeout(ANSWER_MS),
    redirect: 'error',
  }).catch((error) => {
    throw error.cause ?? error;
  });
  const { status, version } = /** @type {any} */ (await answer.json().catch(() => ({})));
  if (status !== 'ok') throw new Error('what answers there is no aloud server');
  return String(version);
}

/**
 * @param {Config} config
 * @param {string} path
 * @returns {Promise<any>}
 */
function getJson(config, path) {
  return new Promise((resolve, reject) => {
    const send = isHttps(config) ? requestHttps : requestHttp;
    const request = send(
      {
        host: ownHost(config),
        port: config.port,
        path,
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: { Host: config.domains?.[0] ?? 'localhost' },
        rejectUnauthorized: false,
      },
      (answer) => {
        let text = '';
        answer.on('data', (bytes) => {
          text += bytes;
          if (text.length > MAX_ANSWER_BYTES) request.destroy(new Error('too long an answer'));
        });
        answer.on('error', reject);
        answer.on('end', () => {
          try {
            resolve(JSON.parse(text));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    request.on('error', reject);
    request.end();
  });
}
