/**
 * Pebble, the test authority of Let's Encrypt (https://github.com/letsencrypt/pebble), with its own
 * name server, in which every name is this machine. `node test/support/pebble.js` installs it, if
 * Go is there.
 *
 * @import { Socket } from 'node:net'
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '../../deploy/cluster-processes.js';

const VERSION = '2.10.1';
const CACHE = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'aloud',
  `pebble-${VERSION}`,
);
const BINARY = join(CACHE, 'pebble');

export const hasPebble = () => existsSync(BINARY);
export const canInstallPebble = () => spawnSync('go', ['version']).status === 0;

/** Length of a DNS message's header, in bytes (RFC 1035, section 4.1.1). */
const DNS_HEADER_BYTES = 12;

/**
 * Answers each question for an IPv4 address with 127.0.0.1, and any other one with nothing.
 * @param {Buffer} query
 */
function answerOf(query) {
  let end = DNS_HEADER_BYTES;
  while (query[end] !== 0) end += query[end] + 1;
  const question = query.subarray(DNS_HEADER_BYTES, end + 5);
  const isA = question.readUInt16BE(question.length - 4) === 1;
  const header = Buffer.alloc(DNS_HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isA ? 1 : 0, 6);
  const address = Buffer.from([
    0xc0,
    DNS_HEADER_BYTES,
    0,
    1,
    0,
    1,
    0,
    0,
    0,
    60,
    0,
    4,
    127,
    0,
    0,
    1,
  ]);
  return Buffer.concat([header, question, isA ? address : Buffer.alloc(0)]);
}

/**
 * Answers a name server's client: each message follows its length (RFC 1035, section 4.2.2).
 * @param {Socket} socket
 */
function answerQuestions(socket) {
  let bytes = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (/** @type {Buffer} */ chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
      const end = 2 + bytes.readUInt16BE(0);
      const answer = answerOf(bytes.subarray(2, end));
      socket.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]));
      bytes = bytes.subarray(end);
    }
  });
}

/**
 * @param {string} url
 * @param {{ ca: string, method?: string, body?: string }} options
 * @returns {Promise<string>} the answer's body
 */
function fetchOver(url, { ca, method = 'GET', body }) {
  return new Promise((resolve, reject) => {
    const headers = { 'User-Agent': 'aloud-tests' };
    const asked = request(url, { ca, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (bytes) => (text += bytes));
      answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    asked.on('error', reject).end(body);
  });
}

/** A running authority. */
export class Pebble {
  #child;
  #dns;
  #management;

  /** @param {string} directory for its files @param {number} httpPort port of the challenges */
  static async start(directory, httpPort) {
    // Pebble is installed before the packages are.
    const { generateCertificate } = await import('../../server/certificate/generate.js');
    const { certPem, keyPem } = await generateCertificate({
      hosts: ['localhost', '127.0.0.1'],
      now: new Date(),
    });
    const files = {
      ca: join(directory, 'pebble.pem'),
      key: join(directory, 'pebble-key.pem'),
      config: join(directory, 'pebble.json'),
    };
    const [port, managementPort] = [await freePort(), await freePort()];
    mkdirSync(directory, { recursive: true });
    writeFileSync(files.ca, certPem);
    writeFileSync(files.key, keyPem);
    const pebble = {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: files.ca,
      privateKey: files.key,
      httpPort,
      tlsPort: 1,
      domainBlocklist: ['blocked.example.org'],
      keyAlgorithm: 'ecdsa',
      retryAfter: { authz: 1, order: 1 },
      profiles: { default: { description: 'the usual one', validityPeriod: 90 * 24 * 3600 } },
    };
    writeFileSync(files.config, JSON.stringify({ pebble }));
    const dns = createServer(answerQuestions);
    await new Promise((resolve) => void dns.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port: dnsPort } = /** @type {import('node:net').AddressInfo} */ (dns.address());
    const args = ['-config', files.config, '-strict', '-dnsserver', `127.0.0.1:${dnsPort}`];
    // Pebble refuses a tenth of all nonces at random. Six in a row, which end an order, are rare.
    const child = spawn(BINARY, args, {
      env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '10' },
    });
    const running = new Pebble({ child, dns, managementPort, port, ca: certPem, caFile: files.ca });
    await running.#ready();
    return running;
  }

  /**
   * @param {{ child: import('node:child_process').ChildProcess, dns: import('node:net').Server,
   *   port: number, managementPort: number, ca: string, caFile: string }} running
   */
  constructor({ child, dns, port, managementPort, ca, caFile }) {
    this.#child = child;
    this.#dns = dns;
    this.#management = `https://localhost:${managementPort}`;
    this.directoryUrl = `https://localhost:${port}/dir`;
    /** Certificate of Pebble's own HTTPS, PEM, and its file. */
    this.ca = ca;
    this.caFile = caFile;
    this.output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes) => (this.output += bytes));
    this.exit = new Promise((resolve) => void child.on('close', resolve));
  }

  async #ready() {
    for (let tries = 0; ; tries++) {
      try {
        await fetchOver(this.directoryUrl, { ca: this.ca });
        return;
      } catch (error) {
        if (tries === 100)
          throw new Error(`Pebble does not start: ${this.output}`, { cause: error });
        await new Promise((resolve) => void setTimeout(resolve, 100));
      }
    }
  }

  /** Root of the issued certificates, PEM: a new one at each start. */
  root() {
    return fetchOver(`${this.#management}/roots/0`, { ca: this.ca });
  }

  /**
   * Sets the time to renew a certificate.
   * @param {string} certPem
   * @param {{ start: Date, end: Date }} suggestedWindow
   */
  setRenewal(certPem, { start, end }) {
    const window = { start: start.toISOString(), end: end.toISOString() };
    const body = JSON.stringify({
      Certificate: certPem,
      ARIResponse: JSON.stringify({ suggestedWindow: window }),
    });
    return fetchOver(`${this.#management}/set-renewal-info/`, {
      ca: this.ca,
      method: 'POST',
      body,
    });
  }

  async close() {
    this.#child.kill();
    this.#dns.close();
    await this.exit;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const env = { ...process.env, GOBIN: CACHE };
  const args = ['install', `github.com/letsencrypt/pebble/v2/cmd/pebble@v${VERSION}`];
  process.exitCode = hasPebble()
    ? 0
    : (spawnSync('go', args, { env, stdio: 'inherit' }).status ?? 1);
}
