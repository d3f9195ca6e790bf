import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../server/counts.js';
import { surviveFileShortage } from '../../../server/open-files.js';

/** @param {string} code */
const errorOf = (code) => Object.assign(new Error(`accept ${code}`), { code });

describe('a server that listens', () => {
  it.each(['EMFILE', 'ENFILE'])(
    'goes on, and counts it, where a connection can not be taken (%s)',
    (code) => {
      const server = new EventEmitter();
      surviveFileShortage(/** @type {any} */ (server));
      const before = counted().fileShortages;
      server.emit('error', errorOf(code));
      expect(counted().fileShortages).toBe(before + 1);
    },
  );

  it('hides no other error', () => {
    const server = new EventEmitter();
    surviveFileShortage(/** @type {any} */ (server));
    expect(() => server.emit('error', errorOf('EBADF'))).toThrow('EBADF');
  });
});
