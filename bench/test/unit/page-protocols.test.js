import { expect, it } from 'vitest';
import lab, { asking } from '../../plugin/page/protocols.js';

const offer = {
  url: '/session',
  port: 4433,
  certificateHashes: ['aGFzaA=='],
};
const transports = { webtransport: offer, websocket: { path: '/session' }, http1: null };

/** Protocols that the page shows. @param {object} offered  by the server */
const protocolsOf = (offered) => lab.protocolsOf({ transports: { ...transports, ...offered } });

/** @param {object} offered */
const namesOf = (offered) => protocolsOf(offered).map(({ name }) => name);

it('ways on streams are shown where the server lets a session ask for them', () => {
  expect(namesOf({})).toEqual([]);
  expect(namesOf({ webtransport: null })).toEqual([]);
  const carries = ['datagrams', 'stream', 'streams'];
  expect(namesOf({ webtransport: { ...offer, carries } })).toEqual(['stream', 'streams']);
});

it('a data channel is shown where the operator has it, also where it is missing', () => {
  for (const datachannel of [{ path: '/api/data-channels' }, null])
    expect(namesOf({ datachannel })).toEqual(['datachannel']);
});

it('a way on streams is a session of WebTransport that asks for it', () => {
  const WebTransport = /** @type {any} */ (class {});
  expect(asking('reset-streams', { transports }, { WebTransport })).toEqual({
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

it('a data channel lacks WebRTC where there is none, and streams lack nothing of their own', () => {
  const webtransport = { ...offer, carries: ['stream'] };
  const [stream, channel] = protocolsOf({ webtransport, datachannel: null });
  expect([stream.transport, stream.lacks]).toEqual(['webtransport', undefined]);
  expect(channel.lacks?.()).toBe('This browser has no WebRTC.');
});
