import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../server/errors/config-error.js';
import { openWebTransport } from '../../../server/transport/webtransport.js';

/** The engines, as a test has them. */
const engines = vi.hoisted(() => ({
  /** Why there is no native one. @type {Error | null} */ missing: null,
  /** @type {string | null} */ quicheError: null,
  /** Opens an engine. @type {(name: string) => any} */ open: (name) => ({
    name,
    address: () => ({ host: '::', port: 4433 }),
  }),
}));

vi.mock('@aloud/native', async (original) => ({
  ...(await original()),
  load: () => {
    if (engines.missing) throw engines.missing;
  },
}));
vi.mock('../../../server/transport/webtransport-native.js', () => ({
  createNativeTransport: async () => engines.open('native'),
}));
vi.mock('../../../server/transport/webtransport-quiche.js', () => ({
  quicheError: async () => engines.quicheError,
  createQuicheTransport: async () => engines.open('quiche'),
  QUICHE_COMMAND: 'npm install quiche',
}));

const { BUILD_COMMAND, NativeUnavailableError } = await import('@aloud/native');
const notBuilt = new NativeUnavailableError('ERR_NATIVE_NOT_BUILT', 'it is not built');
const options = /** @type {any} */ ({ host: '::', port: 4433 });
const { open } = engines;

afterEach(() => Object.assign(engines, { missing: null, quicheError: null, open }));

describe('the HTTP/3 engine', () => {
  it.each([
    ['auto', null, null, 'native'],
    ['auto', notBuilt, null, 'quiche'],
    ['native', null, 'not installed', 'native'],
    ['quiche', null, null, 'quiche'],
  ])(
    'for %s, where native says %s and quiche %s, is %s',
    async (engine, missing, quicheError, taken) => {
      Object.assign(engines, { missing, quicheError });
      const { transport, line } = await openWebTransport(/** @type {any} */ (engine), options);
      expect(transport).toMatchObject({ name: taken });
      expect(line).toContain(`WebTransport is on: HTTP/3 on UDP port 4433, engine ${taken}.`);
      expect(line.includes('One packet of a stranger can end this engine')).toBe(
        taken === 'quiche',
      );
    },
  );

  it('that is missing is reported in a sentence with the command that builds it', async () => {
    Object.assign(engines, {
      missing: notBuilt,
      quicheError: 'the optional package x is not installed',
    });
    const { transport, line } = await openWebTransport('auto', options);
    expect(transport).toBe(null);
    expect(line).toBe(
      'WebTransport is off: the engine native is unavailable (it is not built). To turn it on:\n' +
        `  ${BUILD_COMMAND}`,
    );
    expect((await openWebTransport('native', options)).line).toBe(line);
    expect((await openWebTransport('quiche', options)).line).toMatch(
      /the optional package x is not installed\). To turn it on:\n {2}npm install quiche$/,
    );
  });

  it('is none when none is asked for, whatever is there', async () => {
    const { transport, line } = await openWebTransport('none', options);
    expect(transport).toBe(null);
    expect(line).toMatch(/^WebTransport is off: --engine none\./);
  });

  it('whose port is taken stops the start, and is not replaced by another', async () => {
    engines.open = (name) => {
      throw name === 'native'
        ? Object.assign(new Error('in use'), { code: 'EADDRINUSE' })
        : new Error('never asked');
    };
    const error = await openWebTransport('auto', options).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(/^--h3-port 4433 is already in use/);
  });
});
