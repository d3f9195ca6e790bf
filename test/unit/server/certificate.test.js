import 'reflect-metadata';
import { createHash, createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CERTIFICATE_FILE,
  generateCertificate,
  KEY_FILE,
  writeCertificate,
} from '../../../server/certificate/generate.js';
import { isCertificateHost } from '../../../server/config/option-value.js';
import { openCertificate, whyUnread } from '../../../server/certificate/certificate-source.js';
import { ConfigError } from '../../../server/config/config.js';
import { createLog } from '../../../server/log.js';

/**
 * @typedef {import('../../../server/certificate/certificate-source.js').ServerCertificate}
 *   ServerCertificate
 */

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 21, 12);

const PEM_OF_NOTHING = '-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n';

const WEAK_RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 1024,
  publicExponent: Uint8Array.of(1, 0, 1),
};

/** One timer at a time is all that a certificate source has. */
class CertificateClock {
  wallMs = START;
  /** @type {{ run: () => void, at: number } | null} */
  timer = null;

  now = () => this.wallMs;

  setTimeout = (/** @type {() => void} */ run, /** @type {number} */ ms) => {
    expect(this.timer).toBe(null);
    expect(ms).toBeLessThan(2 ** 31);
    this.timer = { run, at: this.wallMs + ms };
    return this.timer;
  };

  clearTimeout = (/** @type {unknown} */ timer) => {
    if (timer === this.timer) this.timer = null;
  };

  /** Moves on to a time, and lets each check end before the next. @param {number} toMs */
  async advance(toMs) {
    while (this.timer && this.timer.at <= toMs) {
      const { run, at } = this.timer;
      this.timer = null;
      this.wallMs = Math.max(this.wallMs, at);
      run();
      await settled(() => this.timer !== null);
    }
    this.wallMs = toMs;
  }
}

/** @param {() => boolean} condition */
async function settled(condition) {
  const until = performance.now() + 10_000;
  while (!condition() && performance.now() < until)
    await new Promise((resolve) => void setImmediate(resolve));
  expect(condition()).toBe(true);
}

/** @type {string} */
let directory;
/** @type {CertificateClock} */
let clock;
/** @type {string[]} */
let lines;
/** @type {ServerCertificate[]} */
let opened;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aloud-certificate-'));
  clock = new CertificateClock();
  lines = [];
  opened = [];
});

afterEach(() => {
  for (const source of opened) source.close();
  rmSync(directory, { recursive: true, force: true });
});

/** @param {Partial<Parameters<typeof openCertificate>[0]>} [config] */
async function open(config) {
  const log = createLog({ level: 'debug', write: (line) => lines.push(line), wallNow: clock.now });
  const hostnames = ['localhost', '127.0.0.1', '::1'];
  const whole = { cert: null, key: null, certDir: directory, hostnames, ...config };
  const source = await openCertificate(whole, { clock, wallNow: clock.now, log });
  opened.push(source);
  return source;
}

const hashOf = (/** @type {string} */ pem) =>
  createHash('sha256').update(new X509Certificate(pem).raw).digest('base64');

describe('a made certificate', () => {
  it('is what browsers accept by its hash', async () => {
    const made = await generateCertificate({
      hosts: ['localhost', '*.a.example', '::1'],
      now: new Date(START),
    });
    const certificate = new X509Certificate(made.certPem);
    expect(certificate.publicKey.asymmetricKeyType).toBe('ec');
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(made.notAfter.getTime() - made.notBefore.getTime()).toBeLessThanOrEqual(14 * DAY_MS);
    expect(new Date(certificate.validFrom)).toEqual(made.notBefore);
    expect(new Date(certificate.validTo)).toEqual(made.notAfter);
    expect(made.notBefore.getTime()).toBeLessThan(START);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(made.keyPem))).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkHost('b.a.example')).toBe('*.a.example');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.ca).toBe(false);
    expect(made.hash).toBe(hashOf(made.certPem));
  });

  it('has a key and a serial number of its own', async () => {
    const options = { hosts: ['localhost'], now: new Date(START) };
    const [a, b] = await Promise.all([generateCertificate(options), generateCertificate(options)]);
    expect(a.keyPem).not.toBe(b.keyPem);
    expect(new X509Certificate(a.certPem).serialNumber).not.toBe(
      new X509Certificate(b.certPem).serialNumber,
    );
  });

  it.each([
    [{ hosts: ['a'], days: 14.01 }],
    [{ hosts: ['a'], days: 0 }],
    [{ hosts: ['a'], days: NaN }],
    [{ hosts: [] }],
    [{ hosts: ['☃'] }],
    [{ hosts: ['fe80::1%eth0'] }],
    [{ hosts: ['a', ''] }],
  ])('is not made of %j', async (options) => {
    await expect(generateCertificate({ ...options, now: new Date(START) })).rejects.toThrow(
      RangeError,
    );
  });

  it.each([
    ['localhost', true],
    ['a-b.c_d.example', true],
    ['*.example', true],
    ['10.0.0.1', true],
    ['::1', true],
    ['a.*', false],
    ['a..b', false],
    ['x'.repeat(64), false],
    [`${'x.'.repeat(127)}x`, false],
    ['a b', false],
    [5, false],
  ])('may be for %j: %s', (host, allowed) => expect(isCertificateHost(host)).toBe(allowed));
});

describe('the directory', () => {
  it('gets the certificate and its key, for their owner only', async () => {
    const source = await open();
    expect(readdirSync(directory).sort()).toEqual([CERTIFICATE_FILE, KEY_FILE]);
    for (const file of readdirSync(directory))
      expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    expect(hashOf(readFileSync(join(directory, CERTIFICATE_FILE), 'utf8'))).toBe(
      source.current.hash,
    );
    expect(source.hashes).toEqual([source.current.hash]);
  });

  it('is made where it is missing, and its certificate is taken up by the next start', async () => {
    const certDir = join(directory, 'a', 'b');
    const first = await open({ certDir });
    first.close();
    clock.wallMs += 8 * DAY_MS;
    const second = await open({ certDir });
    expect(second.current).toEqual(first.current);
    expect(lines).toEqual([]);
  });

  /** @type {[string, (first: ServerCertificate) => object | void | Promise<void>][]} */
  const unusable = [
    ['expired', () => void (clock.wallMs += 20 * DAY_MS)],
    ['about to expire', () => void (clock.wallMs += 10 * DAY_MS)],
    ['of the future', () => void (clock.wallMs -= DAY_MS)],
    ['not PEM', () => writeFileSync(join(directory, CERTIFICATE_FILE), 'junk')],
    [
      'half written',
      () => writeFileSync(join(directory, KEY_FILE), '-----BEGIN PRIVATE KEY-----\n'),
    ],
    ['without its key', () => rmSync(join(directory, KEY_FILE))],
    ['for other hosts', () => ({ hostnames: ['localhost', 'calls.example'] })],
    ['for another address', () => ({ hostnames: ['10.0.0.1'] })],
    [
      'with the key of another',
      async () => {
        const other = await generateCertificate({ hosts: ['localhost'], now: new Date(START) });
        writeFileSync(join(directory, KEY_FILE), other.keyPem);
      },
    ],
  ];

  it.each(unusable)('with a certificate %s gets a new one', async (_, change) => {
    const first = await open();
    first.close();
    const config = await change(first);
    const second = await open(config ?? {});
    expect(second.current.hash).not.toBe(first.current.hash);
    expect(second.current.notAfter.getTime()).toBeGreaterThan(clock.wallMs + 12 * DAY_MS);
    expect(hashOf(readFileSync(join(directory, CERTIFICATE_FILE), 'utf8'))).toBe(
      second.current.hash,
    );
  });

  it('with a name that the server no longer has gets a new one', async () => {
    const first = await open({ hostnames: ['calls.example', '10.0.0.1'] });
    first.close();
    const again = await open({ hostnames: ['calls.example', '10.0.0.1'] });
    expect(again.current.hash).toBe(first.current.hash);
    again.close();
    const second = await open();
    expect(second.current.hash).not.toBe(first.current.hash);
    expect(new X509Certificate(second.current.certPem).subjectAltName).not.toContain('calls');
  });

  it('that cannot be written leaves the certificate in memory, with one sentence', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const source = await open({ certDir: join(file, 'certs') });
    expect(source.current.hash).toHaveLength(44);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/warn certificate could not be stored; each start makes a new one/);
    expect(lines[0]).toMatch(/ directory=".*file\/certs" reason="ENOTDIR"/);
    await clock.advance(START + 30 * DAY_MS);
    expect(source.current.notAfter.getTime()).toBeGreaterThan(clock.wallMs);
    expect(lines.filter((line) => line.includes('warn'))).toHaveLength(1);
  });
});

describe('renewal while running', () => {
  it('announces the next hash a day before it serves it, and writes it then', async () => {
    const source = await open();
    const first = source.current;
    /** @type {string[]} */
    const renewed = [];
    source.onRenew(({ hash }) => renewed.push(hash));
    await clock.advance(first.notAfter.getTime() - 4 * DAY_MS - HOUR_MS);
    expect(source.hashes).toEqual([first.hash]);

    await clock.advance(clock.wallMs + 2 * HOUR_MS);
    expect(source.current).toBe(first);
    expect(source.hashes).toHaveLength(2);
    expect(source.hashes[0]).toBe(first.hash);
    const next = source.hashes[1];
    await clock.advance(first.notAfter.getTime() - 3 * DAY_MS - HOUR_MS);
    expect(source.hashes).toEqual([first.hash, next]);
    expect(renewed).toEqual([]);

    await clock.advance(clock.wallMs + 2 * HOUR_MS);
    expect(renewed).toEqual([next]);
    expect(source.current.hash).toBe(next);
    expect(source.hashes).toEqual([next]);
    expect(hashOf(readFileSync(join(directory, CERTIFICATE_FILE), 'utf8'))).toBe(next);
  });

  it('never serves one that is expired, for months', async () => {
    const source = await open();
    let count = 0;
    source.onRenew(() => (count += 1));
    for (let day = 1; day <= 90; day++) {
      await clock.advance(START + day * DAY_MS);
      expect(source.current.notAfter.getTime() - clock.wallMs).toBeGreaterThan(2 * DAY_MS);
      expect(source.current.notBefore.getTime()).toBeLessThan(clock.wallMs);
    }
    expect(count).toBeGreaterThanOrEqual(9);
    expect(count).toBeLessThanOrEqual(11);
  });

  it('is right at the first check after a sleep past its end', async () => {
    const source = await open();
    clock.wallMs += 40 * DAY_MS;
    await clock.advance(clock.wallMs + HOUR_MS);
    expect(source.current.notAfter.getTime()).toBeGreaterThan(clock.wallMs + 12 * DAY_MS);
  });

  it('is right at the first check after a sleep past the end of the announced one', async () => {
    const source = await open();
    await clock.advance(source.current.notAfter.getTime() - 3.5 * DAY_MS);
    expect(source.hashes).toHaveLength(2);
    clock.wallMs += 20 * DAY_MS;
    await clock.advance(clock.wallMs + HOUR_MS / 2);
    expect(source.current.notAfter.getTime()).toBeGreaterThan(clock.wallMs + 12 * DAY_MS);
  });

  it('is right at the first check after the date was set back', async () => {
    const source = await open();
    clock.wallMs -= 2 * DAY_MS;
    const { timer } = clock;
    clock.timer = null;
    timer?.run();
    await settled(() => clock.timer !== null);
    expect(source.current.notBefore.getTime()).toBeLessThan(clock.wallMs);
    expect(source.hashes).toEqual([source.current.hash]);
  });

  it('goes on when a subscriber throws', async () => {
    const source = await open();
    /** @type {string[]} */
    const told = [];
    source.onRenew(() => {
      throw new Error('no context');
    });
    source.onRenew(() => told.push('second'));
    const end = source.onRenew(() => told.push('never'));
    end();
    await clock.advance(START + 11 * DAY_MS);
    expect(told).toEqual(['second']);
    expect(
      lines.some((line) =>
        /error new certificate could not be applied .*reason="no context"/.test(line),
      ),
    ).toBe(true);
  });

  it('ends with close, also in the middle of a renewal', async () => {
    const source = await open();
    const first = source.current;
    source.onRenew(() => expect.unreachable());
    clock.wallMs = first.notAfter.getTime() - DAY_MS;
    clock.timer?.run();
    clock.timer = null;
    source.close();
    source.close();
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect(clock.timer).toBe(null);
    expect(source.current).toBe(first);
  });
});

describe('your own certificate', () => {
  /** @type {string} */
  let cert;
  /** @type {string} */
  let key;

  /** @param {{ days?: number, atMs?: number }} [options] */
  async function replaceFiles({ days, atMs = clock.wallMs } = {}) {
    const certificate = await generateCertificate({
      hosts: ['calls.example'],
      now: new Date(atMs),
      days,
    });
    writeCertificate(directory, certificate);
    return certificate;
  }

  beforeEach(async () => {
    cert = join(directory, CERTIFICATE_FILE);
    key = join(directory, KEY_FILE);
    await replaceFiles();
  });

  it('is served as it is, and never written', async () => {
    const before = readFileSync(cert, 'utf8');
    const source = await open({ cert, key });
    expect(source.current.certPem).toBe(before);
    expect(source.hashes).toEqual([hashOf(before)]);
    clock.wallMs = START + 11 * DAY_MS;
    await clock.advance(START + 11 * DAY_MS + HOUR_MS);
    expect(readFileSync(cert, 'utf8')).toBe(before);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/warn certificate expires soon: replace it .*file=.* validUntil=/);
  });

  it('tells for whom a file is closed', () => {
    const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    expect(whyUnread(denied)).toContain(`the user ${userInfo().username} may not read it`);
  });

  /** @type {[string, () => unknown, 'cert' | 'key', string][]} */
  const wrong = [
    ['a missing certificate', () => rmSync(cert), 'cert', "it can't be read (ENOENT)"],
    ['a missing key', () => rmSync(key), 'key', "it can't be read (ENOENT)"],
    ['a directory', () => (cert = directory), 'cert', "it can't be read (EISDIR)"],
    [
      'a path through a file',
      () => (key = join(cert, 'key.pem')),
      'key',
      "it can't be read (ENOTDIR)",
    ],
    [
      'junk for a certificate',
      () => writeFileSync(cert, 'junk'),
      'cert',
      'it is no PEM certificate',
    ],
    ['an empty certificate', () => writeFileSync(cert, ''), 'cert', 'it is no PEM certificate'],
    [
      'junk for a key',
      () => writeFileSync(key, 'junk'),
      'key',
      'it is no unencrypted PEM private key',
    ],
    [
      'a broken chain',
      () => appendFileSync(cert, PEM_OF_NOTHING),
      'cert',
      'it is no PEM certificate',
    ],
    ['the two exchanged', () => ([cert, key] = [key, cert]), 'cert', 'it is no PEM certificate'],
    [
      'an expired one',
      () => (clock.wallMs += 14 * DAY_MS),
      'cert',
      'it expired on 2026-12-04T11:00:00.000Z',
    ],
    [
      'one of the future',
      () => (clock.wallMs -= DAY_MS),
      'cert',
      'it begins on 2026-11-21T11:00:00.000Z',
    ],
  ];

  it.each(wrong)(
    '%s stops the start, by the name of the option',
    async (_, change, part, problem) => {
      change();
      const error = await open({ cert, key }).catch((reason) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.option).toBe(`--${part}`);
      expect(error.message).toMatch(new RegExp(`^--${part} must be a readable PEM`));
      expect(error.message).toContain(
        `; ${JSON.stringify(part === 'cert' ? cert : key)}: ${problem}`,
      );
      expect(clock.timer).toBe(null);
    },
  );

  it.each(['P-521', 'RSA of 1024 bits'])(
    'with a key of a kind that no browser takes, %s, stops the start',
    async (kind) => {
      const algorithm =
        kind === 'P-521' ? { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-256' } : WEAK_RSA;
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const made = await X509CertificateGenerator.createSelfSigned({
        ...{ name: 'CN=weak', signingAlgorithm: algorithm, keys: /** @type {any} */ (keys) },
        ...{ notBefore: new Date(START - DAY_MS), notAfter: new Date(START + DAY_MS) },
      });
      writeFileSync(cert, made.toString('pem'));
      writeFileSync(
        key,
        PemConverter.encode(
          await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
          'PRIVATE KEY',
        ),
      );
      const error = await open({ cert, key }).catch((reason) => reason);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.message).toMatch(
        new RegExp(
          '^--key must be .* RSA of 2048 to 4096 bits, or ECDSA on P-256 or P-384; ' +
            '.* is of a kind that .*\\.$',
        ),
      );
    },
  );

  it('with the key of another stops the start', async () => {
    const other = await generateCertificate({ hosts: ['localhost'], now: new Date(START) });
    writeFileSync(key, other.keyPem);
    await expect(open({ cert, key })).rejects.toThrow('it is not the key of the certificate');
  });

  it('is read again when its files change', async () => {
    const source = await open({ cert, key });
    /** @type {string[]} */
    const renewed = [];
    source.onRenew(({ hash }) => renewed.push(hash));
    const next = await replaceFiles();
    await clock.advance(clock.wallMs + 61_000);
    expect(renewed).toEqual([next.hash]);
    expect(source.hashes).toEqual([next.hash]);

    utimesSync(cert, new Date(0), new Date(0));
    await clock.advance(clock.wallMs + 61_000);
    expect(renewed).toHaveLength(1);
  });

  it('is taken once it begins, though its files are older', async () => {
    const source = await open({ cert, key });
    const next = await replaceFiles({ atMs: clock.wallMs + 2 * HOUR_MS });
    await clock.advance(clock.wallMs + HOUR_MS / 2);
    expect(source.current.hash).not.toBe(next.hash);
    expect(lines).toEqual([expect.stringMatching(/old certificate stays in use .*it begins on/)]);
    await clock.advance(clock.wallMs + HOUR_MS);
    expect(source.current.hash).toBe(next.hash);
  });

  it('is read again when another chain stands behind it', async () => {
    const source = await open({ cert, key });
    const other = await generateCertificate({ hosts: ['ca.example'], now: new Date(START) });
    appendFileSync(cert, other.certPem);
    await clock.advance(clock.wallMs + 61_000);
    expect(source.current.certPem.endsWith(other.certPem)).toBe(true);
  });

  it('stays while the new files will not do, which is said once', async () => {
    const source = await open({ cert, key });
    const first = source.current;
    const keyPem = readFileSync(key, 'utf8');
    const next = await generateCertificate({ hosts: ['calls.example'], now: new Date(START) });
    writeFileSync(cert, next.certPem);
    await clock.advance(clock.wallMs + 10 * 60_000);
    expect(source.current).toBe(first);
    expect(keyPem).toBe(first.keyPem);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /the old certificate stays in use .*reason="it is not the key of the certificate"/,
    );

    writeFileSync(key, next.keyPem);
    await clock.advance(clock.wallMs + 60_000);
    expect(source.current.hash).toBe(next.hash);
  });
});
