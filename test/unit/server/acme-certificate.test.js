import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AcmeCertificate,
  openAcmeCertificate,
} from '../../../server/certificate/acme-certificate.js';
import { AcmeError, certificateId } from '../../../server/certificate/acme-authority.js';
import { generateCertificate, writeCertificate } from '../../../server/certificate/generate.js';
import { createLog } from '../../../server/log.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/**
 * @typedef {import('../../../server/certificate/acme-authority.js').RenewalWindow} RenewalWindow
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 22, 12);

/** The life of what the authority issues, in days; a made certificate begins an hour early. */
const LIFE_DAYS = 12;

const DOMAINS = Object.freeze(['a.example.org', 'b.example.org']);

/** An authority that signs its certificates itself, and fails on request. */
class Authority {
  /** @type {{ atMs: number, replaces: string | null }[]} */
  orders = [];
  /** @type {(Error | null)[]} the outcome of the next orders */
  failures = [];
  /** @type {RenewalWindow | Error | null} */
  window = null;
  /** True if the window stays after it was followed. */
  insists = false;
  asked = 0;
  closed = false;

  /** @param {() => number} wallNow */
  constructor(wallNow) {
    this.wallNow = wallNow;
  }

  /** @param {{ domains: ReadonlyArray<string>, replaces: string | null }} wish */
  async order({ domains, replaces }) {
    this.orders.push({ atMs: this.wallNow(), replaces });
    const failure = this.failures.shift();
    if (failure) throw failure;
    if (!this.insists) this.window = null;
    return generateCertificate({ hosts: domains, now: new Date(this.wallNow()), days: LIFE_DAYS });
  }

  async renewalWindow() {
    this.asked++;
    if (this.window instanceof Error) throw this.window;
    return this.window;
  }

  close() {
    this.closed = true;
  }
}

/** @type {string} */
let directory;
/** @type {FakeClock} */
let clock;
/** @type {Authority} */
let authority;
/** @type {string[]} */
let lines;
/** @type {AcmeCertificate[]} */
let opened;

/** Error of the machine's date, which is ahead, in milliseconds. */
let aheadMs = 0;

const wallNow = () => START + clock.now() + aheadMs;

beforeEach(() => {
  aheadMs = 0;
  directory = mkdtempSync(join(tmpdir(), 'aloud-acme-'));
  clock = new FakeClock();
  authority = new Authority(wallNow);
  lines = [];
  opened = [];
});

afterEach(() => {
  for (const source of opened) source.close();
  expect(clock.waiting).toBe(0);
  rmSync(directory, { recursive: true, force: true });
});

const log = () =>
  createLog({
    level: 'debug',
    write: (line) => lines.push(line.slice(line.indexOf(' ') + 1)),
    wallNow,
  });

/** @param {ReadonlyArray<string>} [domains] */
async function open(domains = DOMAINS) {
  const source = await AcmeCertificate.open({
    directory,
    domains,
    authority,
    clock,
    wallNow,
    log: log(),
    random: () => 0.5,
  });
  opened.push(source);
  return source;
}

/** Lets time pass, check after check. @param {number} ms */
async function pass(ms) {
  const end = clock.now() + ms;
  while (clock.now() < end) {
    clock.advance(Math.min(MINUTE_MS, end - clock.now()));
    const until = performance.now() + 10_000;
    while (clock.waiting === 0 && performance.now() < until)
      await new Promise((resolve) => void setImmediate(resolve));
    expect(clock.waiting).toBe(1);
  }
}

/** Hours between the orders, and before the first. */
const hoursOfOrders = () =>
  authority.orders.map(({ atMs }) => Math.round((atMs - START) / HOUR_MS));

describe('the first start', () => {
  it('orders nothing until port 80 answers, then one certificate, which it keeps', async () => {
    const source = await open();
    expect(source.isIssued).toBe(false);
    expect(source.hashes).toEqual([source.current.hash]);
    expect(authority.orders).toEqual([]);
    const standIn = source.current;
    /** @type {unknown[]} */
    const renewed = [];
    source.onRenew((certificate) => renewed.push(certificate));
    await source.checkNow();
    expect(authority.orders).toEqual([{ atMs: START, replaces: null }]);
    expect(source.isIssued).toBe(true);
    expect(source.hashes).toEqual([]);
    expect(source.current.hash).not.toBe(standIn.hash);
    expect(renewed).toEqual([source.current]);
    expect(lines).toEqual([
      expect.stringMatching(
        /^info certificate issued .*domains=\["a\.example\.org","b\.example\.org"\]/,
      ),
    ]);
    await pass(DAY_MS);
    expect(authority.orders).toHaveLength(1);
  });

  it('has others stand in for as long as none is issued', async () => {
    const source = await open();
    const first = source.current;
    authority.failures = Array(200).fill(new Error('unreachable'));
    void source.checkNow();
    await pass(HOUR_MS);
    expect(source.current).toBe(first);
    // The tests' certificates don't wait for each minute of two weeks.
    aheadMs = 12 * DAY_MS;
    await pass(HOUR_MS);
    expect(source.current.hash).not.toBe(first.hash);
    expect(source.current.notAfter.getTime() - wallNow()).toBeGreaterThan(12 * DAY_MS);
    expect([source.isIssued, source.hashes]).toEqual([false, [source.current.hash]]);
  });

  it('takes the one that was kept, unless it is for other names, expired or damaged', async () => {
    const first = await open();
    await first.checkNow();
    const again = await open();
    expect([again.isIssued, again.current.hash]).toEqual([true, first.current.hash]);
    expect((await open([DOMAINS[1]])).isIssued).toBe(true);
    expect((await open([...DOMAINS, 'c.example.org'])).isIssued).toBe(false);
    for (const source of opened.splice(0)) source.close();
    clock.advance(LIFE_DAYS * DAY_MS);
    expect((await open()).isIssued).toBe(false);
    writeFileSync(join(directory, 'key.pem'), 'nothing');
    expect((await open()).isIssued).toBe(false);
  });

  it("by a clock that is behind the authority's takes what it is given", async () => {
    const ahead = await generateCertificate({
      hosts: DOMAINS,
      now: new Date(START + 3 * HOUR_MS),
      days: LIFE_DAYS,
    });
    authority.order = async () => ahead;
    const source = await open();
    await source.checkNow();
    expect(source.current.certPem).toBe(ahead.certPem);
  });
});

describe('the renewal', () => {
  const keep = async () =>
    writeCertificate(
      directory,
      await generateCertificate({ hosts: DOMAINS, now: new Date(START), days: LIFE_DAYS }),
    );

  it('is after two thirds of the life where the authority has no opinion', async () => {
    await keep();
    const source = await open();
    await pass(9 * DAY_MS);
    expect(hoursOfOrders()).toEqual([LIFE_DAYS * 16 - 1]);
    expect(source.current.notAfter.getTime()).toBeGreaterThan(START + 19 * DAY_MS);
    expect(authority.asked).toBeGreaterThan(7);
    expect(authority.asked).toBeLessThan(12);
  });

  it('happens when the authority says, asks at its interval, and names the old one', async () => {
    await keep();
    const source = await open();
    const { certPem } = source.current;
    await pass(DAY_MS);
    authority.window = {
      startMs: START + 2 * DAY_MS,
      endMs: START + 4 * DAY_MS,
      askAgainMs: 6 * HOUR_MS,
    };
    await pass(4 * DAY_MS);
    expect(hoursOfOrders()).toEqual([72]);
    expect(authority.orders[0].replaces).toBe(certPem);
  });

  it('is before the end of the life, whatever the authority says', async () => {
    await keep();
    authority.window = {
      startMs: START + 300 * DAY_MS,
      endMs: START + 400 * DAY_MS,
      askAgainMs: HOUR_MS,
    };
    const source = await open();
    await pass(11 * DAY_MS);
    expect(hoursOfOrders()).toEqual([Math.round(LIFE_DAYS * 24 * 0.9) - 1]);
    expect(source.current.notAfter.getTime()).toBeGreaterThan(START + 20 * DAY_MS);
  });

  it("is after two thirds where the authority can't be asked", async () => {
    await keep();
    authority.window = new AcmeError('no answer');
    await open();
    await pass(9 * DAY_MS);
    expect(hoursOfOrders()).toEqual([LIFE_DAYS * 16 - 1]);
    expect(lines).toContain(
      'debug authority did not say when to renew the certificate event="renewal-time-unknown" ' +
        'reason="no answer"',
    );
  });

  it('is asked for again after a pause only, by an authority that always wants it', async () => {
    await keep();
    authority.window = { startMs: START - DAY_MS, endMs: START, askAgainMs: 0 };
    authority.insists = true;
    await open();
    await pass(5 * HOUR_MS);
    expect(authority.orders.length).toBeGreaterThan(1);
    expect(authority.orders.length).toBeLessThanOrEqual(5);
  });

  it('is not asked for again at once on a machine whose clock is ahead by a year', async () => {
    await keep();
    const ahead = await generateCertificate({
      hosts: DOMAINS,
      now: new Date(START),
      days: LIFE_DAYS,
    });
    clock.advance(11 * DAY_MS);
    authority.order = async () => (
      authority.orders.push({ atMs: wallNow(), replaces: null }),
      ahead
    );
    await open();
    await pass(20 * HOUR_MS);
    expect(authority.orders).toHaveLength(1);
  });
});

describe('a date that is set back', () => {
  it('ends the wait after a failure, which would last until the wrong date', async () => {
    aheadMs = 300 * DAY_MS;
    authority.failures = [new AcmeError('no route', { type: 'unreachable' })];
    const source = await open();
    await source.checkNow();
    expect([authority.orders.length, source.isIssued]).toEqual([1, false]);
    aheadMs = 0;
    await pass(2 * MINUTE_MS);
    expect([authority.orders.length, source.isIssued]).toEqual([2, true]);
  });

  it('delays no renewal of what was issued before', async () => {
    const issued = await generateCertificate({
      hosts: DOMAINS,
      now: new Date(START),
      days: LIFE_DAYS,
    });
    const { order } = authority;
    authority.order = async (wish) => {
      authority.order = order;
      authority.orders.push({ atMs: wallNow(), replaces: wish.replaces });
      return issued;
    };
    aheadMs = 8 * DAY_MS;
    const source = await open();
    await source.checkNow();
    aheadMs = 0;
    await pass(9 * DAY_MS);
    expect(hoursOfOrders()).toEqual([8 * 24, LIFE_DAYS * 16 - 1]);
  });
});

describe('a failure', () => {
  it('is logged in one line, with what to do, and tried again at growing intervals', async () => {
    authority.failures = Array.from(
      { length: 9 },
      () => new AcmeError('DNS problem: NXDOMAIN', { type: 'dns' }),
    );
    const source = await open();
    await source.checkNow();
    expect(lines).toEqual([
      'error no certificate was issued; browsers warn of the one in use ' +
        'event="certificate-not-issued" domains=["a.example.org","b.example.org"] ' +
        'reason="DNS problem: NXDOMAIN" ' +
        'advice="its DNS records (A, AAAA) have to name this machine" retryInMinutes=5',
    ]);
    await pass(DAY_MS);
    const minutes = authority.orders.map(({ atMs }) => (atMs - START) / MINUTE_MS);
    expect(minutes.slice(0, 8)).toEqual([0, 5, 15, 35, 75, 155, 315, 555]);
    for (const at of minutes)
      expect(minutes.filter((other) => other >= at && other < at + 60).length).toBeLessThan(5);
    expect(source.isIssued).toBe(true);
  });

  it('of a renewal warns of the old one’s expiry, and is tried again', async () => {
    writeCertificate(
      directory,
      await generateCertificate({ hosts: DOMAINS, now: new Date(START), days: LIFE_DAYS }),
    );
    authority.window = {
      startMs: START + HOUR_MS,
      endMs: START + 3 * HOUR_MS,
      askAgainMs: HOUR_MS,
    };
    authority.failures = [new AcmeError('no such certificate', { type: 'malformed' })];
    const source = await open();
    const until = source.current.notAfter.toISOString();
    await pass(3 * HOUR_MS);
    expect(lines[0]).toBe(
      'warn certificate could not be renewed yet event="certificate-not-renewed" ' +
        `validUntil="${until}" domains=["a.example.org","b.example.org"] ` +
        'reason="no such certificate" retryInMinutes=5',
    );
    expect(authority.orders.map(({ replaces }) => replaces !== null)).toEqual([true, true]);
    expect(source.current.notAfter.toISOString()).not.toBe(until);
  });

  it('waits as long as the authority asks, a day at most', async () => {
    authority.failures = [
      new AcmeError('too many', { type: 'rateLimited', retryAfterMs: 7 * HOUR_MS }),
      new AcmeError('too many', { type: 'rateLimited', retryAfterMs: 300 * DAY_MS }),
    ];
    const source = await open();
    await source.checkNow();
    await pass(2 * DAY_MS);
    expect(hoursOfOrders()).toEqual([0, 7, 31]);
  });

  it('of the directory names its option and stops the start, to avoid more accounts', async () => {
    writeFileSync(join(directory, 'file'), '');
    const options = {
      directory: join(directory, 'file'),
      domains: DOMAINS,
      email: 'ann@example.org',
      directoryUrl: 'https://a.example/dir',
    };
    await expect(openAcmeCertificate({ ...options, clock, wallNow, log: log() })).rejects.toThrow(
      /^--cert-dir must be a directory .*; ".*": nothing can be kept there \(ENOTDIR\)/,
    );
  });

  it('to keep the certificate is logged, and it is served all the same', async () => {
    const source = await open();
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    await source.checkNow();
    expect(lines[0]).toMatch(
      /^error certificate could not be stored; each start asks for a new one event=.* directory=/,
    );
    expect(source.isIssued).toBe(true);
  });
});

describe('an account', () => {
  it("is each authority's own, and stays over restarts", async () => {
    const options = {
      directory,
      domains: DOMAINS,
      email: 'ann@example.org',
      clock,
      wallNow,
      log: log(),
    };
    const start = async (/** @type {string} */ directoryUrl) =>
      opened.push(await openAcmeCertificate({ ...options, directoryUrl }));
    await start('https://a.example/dir');
    await start('https://a.example/staging');
    const keys = () =>
      readdirSync(join(directory, 'acme')).map((name) =>
        readFileSync(join(directory, 'acme', name, 'account.pem'), 'utf8'),
      );
    const before = keys();
    expect(new Set(before).size).toBe(2);
    await start('https://a.example/dir');
    expect(keys()).toEqual(before);
  });
});

describe('closing', () => {
  it('aborts a running order, without a log line or a certificate', async () => {
    /** @type {(error: Error) => void} */
    let fail = () => {};
    authority.order = () => new Promise((_resolve, reject) => (fail = reject));
    const source = await open();
    const { current } = source;
    source.begin();
    await new Promise((resolve) => void setImmediate(resolve));
    source.close();
    expect(authority.closed).toBe(true);
    fail(new Error('broken off'));
    await new Promise((resolve) => void setImmediate(resolve));
    expect(lines).toEqual([]);
    expect(source.current).toBe(current);
  });
});

describe('the name of a certificate for its authority', () => {
  /** The first is the example of RFC 9773, appendix A. */
  it.each([
    ['87654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'],
    ['7f654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.f2VDIQ'],
    ['0087654321', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'],
    ['01', 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AQ'],
  ])('has its number %s as DER does', async (serialNumber, id) => {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = /** @type {CryptoKeyPair} */ (
      await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
    );
    const issuer = new x509.AuthorityKeyIdentifierExtension(
      '69885b6b87464041e1b37b847ba0ae2cde01c8d4',
    );
    const about = {
      serialNumber,
      name: 'CN=example.com',
      notBefore: new Date(START),
      notAfter: new Date(START + DAY_MS),
      extensions: [issuer],
    };
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      ...about,
      keys,
      signingAlgorithm: algorithm,
    });
    expect(certificateId(certificate.toString('pem'))).toBe(id);
  });
});
