import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../server/counts.js';
import { isFileShortage, surviveFailedAccepts } from '../../../server/open-files.js';

/** @param {string} code */
const errorOf = (code) => Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' });

describe('a server that listens', () => {
  it.each(['EMFILE', 'ENFILE'])(
    'goes on, and counts it, where a connection can not be taken (%s)',
    (code) => {
      const server = new EventEmitter();
      surviveFailedAccepts(/** @type {any} */ (server));
      const before = counted().fileShortages;
      server.emit('error', errorOf(code));
      expect(counted().fileShortages).toBe(before + 1);
    },
  );

  it.each(['ENOBUFS', 'EPROTO'])('goes on after a connection that has failed (%s)', (code) => {
    const server = new EventEmitter();
    surviveFailedAccepts(/** @type {any} */ (server));
    const refusals = () =>
      counted().refusals.find((one) => one.of === 'http' && one.code === 'server-busy')?.count ?? 0;
    const before = refusals();
    server.emit('error', errorOf(code));
    expect(refusals()).toBe(before + 1);
  });

  it('hides no other error', () => {
    const server = new EventEmitter();
    surviveFailedAccepts(/** @type {any} */ (server));
    expect(() => server.emit('error', errorOf('EBADF'))).toThrow('EBADF');
  });
});

it('a shortage of files is known by Node.js 24’s message too', () => {
  const message = 'Cannot read package config /x/package.json: too many open files.';
  const error = Object.assign(new Error(message), { code: 'ERR_INVALID_PACKAGE_CONFIG' });
  expect(isFileShortage(error)).toBe(true);
  expect(isFileShortage(new Error('Cannot read package config /x/package.json'))).toBe(false);
});
