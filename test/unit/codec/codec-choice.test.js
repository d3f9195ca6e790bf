import { expect, it, vi } from 'vitest';
import { ConfigError } from '../../../server/config/config.js';
import { loadCodec, openCodec } from '../../../server/codec/codec.js';

vi.mock('@aloud/native', () => ({
  probeLibrary: async () => {},
  loadOpus: () => {
    throw new Error('it is not built: such a command builds it');
  },
}));

it('the server uses libopus-wasm where the native codec is missing, and says why', async () => {
  const { codec, line } = await openCodec('auto');
  expect(codec.name).toBe('libopus-wasm');
  expect(line).toBe(
    'The Opus codec is libopus-wasm, which takes more time than native (it is not built: ' +
      'such a command builds it).',
  );
  expect(await loadCodec()).toBe(codec);
});

it('the server uses the requested codec', async () => {
  const { codec, line } = await openCodec('opusscript');
  expect([codec.name, line]).toEqual(['opusscript', 'The Opus codec is opusscript.']);
});

it('the server does not start with another codec than requested', async () => {
  await expect(openCodec('native')).rejects.toThrow(ConfigError);
  await expect(openCodec('native')).rejects.toThrow(
    '--codec must be auto, or a codec that is there; "native": it is not built: such a ' +
      'command builds it.',
  );
});
