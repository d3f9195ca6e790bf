import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ConfigError, listenError } from '../../../server/errors/config-error.js';
import { listen } from '../../../server/http/server.js';
import { listeningHosts } from '../../../server/tcp-listening.js';

/** A server on a machine that has only these addresses. */
class Server extends EventEmitter {
  /** @type {string[]} */
  asked = [];

  /** @param {string[]} addresses @param {string} code of the error for all others */
  constructor(addresses, code) {
    super();
    this.addresses = addresses;
    this.code = code;
  }

  /** @param {{ host: string }} options @param {() => void} done */
  listen({ host }, done) {
    this.asked.push(host);
    if (this.addresses.includes(host)) done();
    else this.emit('error', Object.assign(new Error(`listen ${this.code}`), { code: this.code }));
  }

  address() {
    return { port: 4321 };
  }

  /** @param {() => void} done */
  close(done) {
    done();
  }
}

describe('listening', () => {
  it.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])(
    'takes every IPv4 address where there is no IPv6 (%s)',
    async (code) => {
      const probe = new Server(['0.0.0.0'], code);
      expect(await listeningHosts('::', () => /** @type {any} */ (probe))).toEqual(['0.0.0.0']);
      expect([probe.asked, probe.listenerCount('error')]).toEqual([['::'], 0]);
    },
  );

  it('asks for IPv6 where every address is wished for, and for nothing where one is', async () => {
    const probe = new Server(['::'], 'EAFNOSUPPORT');
    const hostsFor = (/** @type {string} */ host) =>
      listeningHosts(host, () => /** @type {any} */ (probe));
    expect([await hostsFor('::'), await hostsFor('::1'), await hostsFor('127.0.0.1')]).toEqual([
      ['::'],
      ['::1'],
      ['127.0.0.1'],
    ]);
    expect(probe.asked).toEqual(['::']);
    expect(await listen(/** @type {any} */ (probe), ['::'], 0)).toBe(4321);
  });

  it('takes the loopback of both families for localhost, where there are both', async () => {
    const hostsOf = (/** @type {string[]} */ has) =>
      listeningHosts('localhost', () => /** @type {any} */ (new Server(has, 'EADDRNOTAVAIL')));
    expect([await hostsOf(['::1']), await hostsOf([])]).toEqual([
      ['127.0.0.1', '::1'],
      ['127.0.0.1'],
    ]);
  });

  it('takes no other address than the one that is asked for', async () => {
    const server = new Server(['0.0.0.0'], 'EAFNOSUPPORT');
    await expect(listen(/** @type {any} */ (server), ['::1'], 0)).rejects.toThrow(
      /^--host ::1 is no address of this machine/,
    );
    expect(server.listenerCount('error')).toBe(0);
  });
});

describe("an address that can't be had", () => {
  /** @type {[string, string, string][]} */
  const cases = [
    ['EADDRINUSE', '', '--h3-port 4433 is already in use'],
    ['', 'Address already in use (os error 98)', '--h3-port 4433 is already in use'],
    ['EACCES', '', '--h3-port 4433 is not open to this user'],
    ['EADDRNOTAVAIL', '', '--host h is no address of this machine'],
    ['EINVAL', '', '--host h is no address of this machine'],
    ['ENOTFOUND', '', '--host h is no address of this machine'],
    [
      'EIO',
      "EIO: UDP can't be had: Address family not supported by protocol",
      '--host h is no address of this machine',
    ],
  ];

  it.each(cases)('%s %s is reported by its option', (code, message, told) => {
    const error = /** @type {any} */ (
      listenError(Object.assign(new Error(message), { code }), 'h3-port', 'h', 4433)
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message.startsWith(`${told};`)).toBe(true);
  });

  it('of another kind comes as it was', () => {
    const error = new Error('no memory');
    expect(listenError(error, 'port', 'h', 1)).toBe(error);
  });
});
