/**
 * Measures the cost of serving the page: the server's processor time for one load. The first case
 * loads all files over six connections as a browser does. In the second the browser has every file
 * and asks for changes. The first load after the start is printed apart, since files may be read
 * and compressed then.
 */

import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Child } from '../testkit/participants/child.js';
import { SERVER } from './participants/scripts.js';

/** @import { IncomingHttpHeaders } from 'node:http' */

/** Connections that a browser opens to one host. */
const CONNECTIONS = 6;

/** The time between two loads, in milliseconds: an address gets 1 000 files a second. */
const PAUSE_MS = 120;

const HEADERS = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** The places where a page and its modules name other files: elements, imports, workers. */
const NAMES = [
  /<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+)"/g,
  /\bfrom '([^']+)'/g,
  /\bimport\(?\s*'([^']+)'/g,
  /new URL\('([^']+)', import\.meta\.url\)/g,
];

/**
 * @typedef {{ status: number, headers: IncomingHttpHeaders, body: Buffer, bytes: number }} Answer
 */

/**
 * @param {Agent} agent
 * @param {string} url
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer>}
 */
function request(agent, url, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent, headers: { ...HEADERS, ...headers } }, async (response) => {
      const packed = Buffer.concat(await response.toArray());
      const { 'content-encoding': encoding } = response.headers;
      const body =
        encoding === 'br'
          ? brotliDecompressSync(packed)
          : encoding === 'gzip'
            ? gunzipSync(packed)
            : packed;
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body,
        bytes: packed.length,
      });
    });
    asked.on('error', reject);
  });
}

/**
 * Finds the page's files, from the page on.
 * @param {Agent} agent
 * @param {string} origin
 * @returns {Promise<Map<string, string>>} each file's ETag by its URL
 */
async function findFiles(agent, origin) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const waiting = [`${origin}/r/tea`];
  const seen = new Set(waiting);
  for (let url = waiting.pop(); url; url = waiting.pop()) {
    const { status, headers, body } = await request(agent, url);
    if (status !== 200) continue;
    found.set(url, String(headers.etag));
    if (!/html|javascript/.test(headers['content-type'] ?? '')) continue;
    for (const [, name] of NAMES.flatMap((names) => [...body.toString().matchAll(names)])) {
      if (!/^[./]/.test(name)) continue;
      const next = new URL(name, url).href;
      if (seen.has(next) || !next.startsWith(origin)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return found;
}

/**
 * @param {string} origin
 * @param {Map<string, string>} files
 * @param {boolean} isRepeated true if the browser has them already
 * @returns {Promise<number>} bytes of all bodies
 */
async function load(origin, files, isRepeated) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answers = await Promise.all(
    [...files].map(([url, etag]) =>
      request(agent, url, isRepeated ? { 'if-none-match': etag } : {}),
    ),
  );
  agent.destroy();
  const wrong = answers.find(({ status }) => status !== (isRepeated ? 304 : 200));
  if (wrong) throw new Error(`an answer has the status ${wrong.status}`);
  return answers.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * @param {Child} server
 * @param {number} times
 * @param {() => Promise<number>} run one page load
 * @returns {Promise<{ processorMs: number, bytes: number }>} for one
 */
async function measure(server, times, run) {
  let bytes = 0;
  await server.call('begin');
  const startMs = performance.now();
  for (let i = 0; i < times; i++) {
    bytes = await run();
    await pause(PAUSE_MS);
  }
  const elapsedMs = performance.now() - startMs;
  const { cpuPercent } = await server.call('collect');
  return { processorMs: (cpuPercent * elapsedMs) / 100 / times, bytes };
}

/** @param {string} what @param {{ processorMs: number, bytes: number }} result */
const print = (what, { processorMs, bytes }) =>
  console.log(
    `${what.padEnd(24)} ${processorMs.toFixed(1).padStart(8)} ms ` +
      ` ${String(bytes).padStart(8)} bytes`,
  );

async function main() {
  const { values } = parseArgs({ options: { times: { type: 'string', default: '20' } } });
  const start = async () => {
    const server = new Child(SERVER, []);
    const { port } = await server.call('start', { argv: ['--engine', 'none'], observe: 'nothing' });
    return { server, origin: `http://localhost:${port}` };
  };
  const agent = new Agent();
  const known = await start();
  const paths = [...(await findFiles(agent, known.origin))].map(([url, etag]) => ({
    path: url.slice(known.origin.length),
    etag,
  }));
  await known.server.close();

  const { server, origin } = await start();
  const files = new Map(paths.map(({ path, etag }) => [origin + path, etag]));
  console.log(
    `${files.size} files over ${CONNECTIONS} connections; the server's processor time for ` +
      'one page load:',
  );
  print('the first', await measure(server, 1, () => load(origin, files, false)));
  const times = Number(values.times);
  await measure(server, times, () => load(origin, files, false));
  print(`mean of ${times}`, await measure(server, times, () => load(origin, files, false)));
  await measure(server, times, () => load(origin, files, true));
  print(
    `nothing changed, of ${times}`,
    await measure(server, times, () => load(origin, files, true)),
  );
  await server.close();
}

await main();
