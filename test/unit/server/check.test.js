import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkCodec, checkWebRtc } from '../../../server/check/system.js';
import { DEFAULTS } from '../../../server/config/options.js';
import { ConfigError } from '../../../server/errors/config-error.js';

/** The versions of packages that an operator may install beside aloud. */
const { peerDependencies } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

const nothing = () => {
  throw new Error('not installed');
};

describe('a check of what stops the start', () => {
  it('tells that the library of WebRTC is missing', async () => {
    /** @param {boolean} webrtc @param {(name: string) => string} find */
    const check = (webrtc, find) =>
      checkWebRtc({ config: { ...DEFAULTS, webrtc }, running: null }, find);
    const version = peerDependencies['node-datachannel'].replace('^', '');
    expect(check(true, nothing)).toEqual([
      {
        state: 'fail',
        text: '--webrtc needs the package node-datachannel beside aloud',
        remedy: `npm install node-datachannel@${version}, with --global if aloud was installed so`,
      },
    ]);
    expect(check(true, (name) => name)).toMatchObject([{ state: 'ok' }]);
    expect(check(false, nothing)).toEqual([]);
  });

  it('tells that a codec is missing, unless another would do', async () => {
    const missing = async () => {
      const allowed = 'auto, or a codec that is there';
      throw new ConfigError({ option: '--codec', value: 'native', allowed, problem: 'not built' });
    };
    /** @param {'auto' | 'native' | 'libopus-wasm'} codec @param {any} [open] */
    const check = (codec, open) =>
      checkCodec({ config: { ...DEFAULTS, codec }, running: null }, open);
    expect(await check('native', missing)).toEqual([
      {
        state: 'fail',
        text: '--codec must be auto, or a codec that is there; "native": not built',
        remedy: 'choose another, or leave --codec out',
      },
    ]);
    expect(await check('libopus-wasm')).toMatchObject([{ state: 'ok' }]);
    expect(await check('auto', missing)).toEqual([]);
  });
});
