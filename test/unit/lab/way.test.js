import { expect, it } from 'vitest';
import { connectionOf, protocolsOf } from '../../../public/lab/runs/protocol.js';

const offer = {
  url: '/session',
  port: 4433,
  certificateHashes: ['aGFzaA=='],
};
const transports = { webtransport: offer, websocket: { path: '/session' }, http1: null };

it('ways on streams are shown where the server lets a session ask for them', () => {
  expect(protocolsOf({ transports })).toEqual(['webtransport', 'websocket', 'http1']);
  expect(protocolsOf({ transports: { ...transports, webtransport: null } })).toEqual([
    'webtransport',
    'websocket',
    'http1',
  ]);
  const asking = {
    ...transports,
    webtransport: {
      ...offer,
      carries: /** @type {('datagrams' | 'stream' | 'streams')[]} */ ([
        'datagrams',
        'stream',
        'streams',
      ]),
    },
  };
  expect(protocolsOf({ transports: asking })).toEqual([
    'webtransport',
    'stream',
    'streams',
    'websocket',
    'http1',
  ]);
});

it('a data channel is shown where the operator has it, also where it is missing', () => {
  for (const datachannel of [{ path: '/api/data-channels' }, null]) {
    expect(protocolsOf({ transports: { ...transports, datachannel } })).toEqual([
      'webtransport',
      'datachannel',
      'websocket',
      'http1',
    ]);
  }
});

it('a way on streams is a session of WebTransport that asks for it; others are transports', () => {
  expect(connectionOf('websocket', { transports })).toEqual({
    transport: 'websocket',
    config: { transports },
  });
  const WebTransport = /** @type {any} */ (class {});
  expect(connectionOf('reset-streams', { transports }, { WebTransport })).toEqual({
    transport: 'webtransport',
    config: {
      transports: {
        ...transports,
        webtransport: { ...offer, url: '/session?carry=reset-streams' },
      },
    },
    scope: { WebTransport: expect.any(Function) },
  });
});
