import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOffer } from '../../plugin/data-channel.js';

const FINGERPRINT = Array.from({ length: 32 }, (_, i) =>
  i.toString(16).padStart(2, '0').toUpperCase(),
).join(':');

/** An offer as a browser makes it, which would like to have a camera too. */
const OFFER = [
  'v=0',
  'o=- 4611731400430051336 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 192.0.2.7',
  'a=candidate:1 1 udp 2113937151 2a61-44.local 50000 typ host',
  'a=candidate:2 1 udp 2113937151 192.0.2.7 22 typ host',
  'a=ice-ufrag:aB+/',
  'a=ice-pwd:0123456789abcdefghij+/',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sctp-port:5000',
  'a=max-message-size:262144',
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  '',
].join('\r\n');

/** Allowed lines of the library's input. */
const LINES = [
  /v=0|o=- 0 0 IN IP4 0\.0\.0\.0|s=-|t=0 0/,
  /m=application 9 UDP\/DTLS\/SCTP webrtc-datachannel/,
  /c=IN IP4 0\.0\.0\.0|a=setup:actpass/,
  /a=(group:BUNDLE|mid|ice-ufrag|ice-pwd|fingerprint|sctp-port)[: ][\w+/: -]+|/,
];
const LINE = new RegExp(`^(${LINES.map(({ source }) => source).join('|')})$`);

describe('an offer', () => {
  it('is read for what a connection needs, and nothing else of it goes on', () => {
    expect(
      readOffer(OFFER)
        ?.split('\r\n')
        .filter((line) => line.startsWith('a=')),
    ).toEqual([
      'a=group:BUNDLE 0',
      'a=mid:0',
      'a=ice-ufrag:aB+/',
      'a=ice-pwd:0123456789abcdefghij+/',
      `a=fingerprint:sha-256 ${FINGERPRINT}`,
      'a=setup:actpass',
      'a=sctp-port:5000',
    ]);
    expect(readOffer(OFFER)).not.toMatch(/192\.0\.2\.7|candidate|video|\.local/);
    expect(readOffer(OFFER.replaceAll('\r\n', '\n'))).toBe(readOffer(OFFER));
  });

  it.each([
    ['nothing', ''],
    ['no fingerprint', OFFER.replace('a=fingerprint', 'a=print')],
    ['a fingerprint of another hash', OFFER.replace('sha-256', 'sha-1')],
    ['a fingerprint that is too short', OFFER.replace(':1F', '')],
    ['no name', OFFER.replace('a=ice-ufrag', 'a=frag')],
    ['a name that is too long', OFFER.replace('aB+/', 'a'.repeat(257))],
    ['a password that is too short', OFFER.replace('0123456789abcdefghij+/', '0123456789')],
    [
      'letters that no password has',
      OFFER.replace('0123456789abcdefghij+/', '0123456789abcdefghij é'),
    ],
    ['no port of SCTP', OFFER.replace('a=sctp-port:5000', '')],
    ['a port that is none', OFFER.replace('sctp-port:5000', 'sctp-port:65536')],
    ['a section whose name is two', OFFER.replace('a=mid:0', 'a=mid:0 1')],
  ])('is none with %s', (_what, text) => {
    expect(readOffer(text)).toBeNull();
  });

  it('gives the library no line that isn’t the server’s own, whatever is in it', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('\n', '\r', '\r\n', 'a=', 'a=mid:', ...OFFER.split('\r\n')),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(OFFER.length), piece), { maxLength: 4 }), (changes) => {
        const text = changes.reduce(
          (all, [at, put]) => all.slice(0, at) + put + all.slice(at),
          OFFER,
        );
        for (const line of readOffer(text)?.split('\r\n') ?? []) expect(line).toMatch(LINE);
      }),
      { seed: 14, numRuns: 500 },
    );
  });
});
