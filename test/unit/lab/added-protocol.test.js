import { expect, it } from 'vitest';
import { addProtocols, PROTOCOLS } from '../../../public/lab/runs/protocol.js';
import { RoundTripRun } from '../../../public/lab/runs/round-trip-run.js';
import { hintOf, nameOf } from '../../../public/lab/texts.js';
import { lineOf, unsupportedReason } from '../../../public/lab/views/protocols.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { PcmCodec } from '../../fakes/pcm-codec.js';

const config = {
  transports: { websocket: { path: '/session' } },
  labModule: new URL('../../fixtures/lab-module.js', import.meta.url).href,
};

it('a server without a plugin has its transports, and nothing is loaded', async () => {
  expect(await addProtocols({ transports: config.transports })).toBeNull();
  expect(PROTOCOLS).toEqual(['webtransport', 'websocket', 'http1']);
});

it("a plugin's module adds protocols, of which it knows all that the page shows", async () => {
  const module = await addProtocols(config);
  expect(module?.style).toBe('/pigeons.css');
  expect(PROTOCOLS).toEqual(['webtransport', 'pigeons', 'websocket', 'http1']);
  expect([nameOf('pigeons'), hintOf('pigeons')]).toEqual(['Pigeons', 'Birds, by RFC 1149']);
  expect(lineOf('pigeons')).toEqual({ color: '--pigeons', dash: [1, 9] });
  expect(unsupportedReason('pigeons', config, {})).toBe('This browser has no pigeons.');
  expect(unsupportedReason('pigeons', { transports: {} }, {})).toMatch(/does not offer/);

  const events = /** @type {object[]} */ ([]);
  const run = new RoundTripRun(
    {
      place: { origin: 'http://localhost', config, clock: new FakeClock() },
      codec: new PcmCodec(),
      newRoom: () => 'lab',
      on: (event) => void events.push(event),
    },
    { protocols: ['pigeons'], durationMs: 1000 },
  );
  await run.run();
  expect(events).toEqual([{ type: 'failed', protocol: 'pigeons', reason: 'No pigeon came back.' }]);
});
