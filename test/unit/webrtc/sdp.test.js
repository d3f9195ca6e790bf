import { describe, expect, it } from 'vitest';
import { finishAnswer, readOffer } from '../../../server/webrtc/sdp.js';

/** An offer as OBS and browsers make it, of video and sound. @param {string} [direction] */
const offerOf = (direction = 'sendonly') =>
  [
    'v=0',
    'o=- 1 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1',
    'a=extmap-allow-mixed',
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=rtpmap:96 VP8/90000',
    `a=${direction}`,
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9',
    'c=IN IP4 0.0.0.0',
    'a=rtcp:9 IN IP4 0.0.0.0',
    'a=candidate:1 1 udp 2122260223 10.0.0.1 5000 typ host',
    'a=ice-ufrag:abcd',
    'a=ice-pwd:0123456789012345678901',
    'a=fingerprint:sha-256 AA:BB',
    'a=setup:actpass',
    'a=mid:1',
    'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
    `a=${direction}`,
    'a=rtcp-mux',
    'a=rtpmap:111 opus/48000/2',
    'a=rtcp-fb:111 transport-cc',
    'a=fmtp:111 minptime=10;useinbandfec=1',
    'a=rtpmap:63 red/48000/2',
    'a=rtpmap:9 G722/8000',
    'a=ssrc:1234 cname:x',
    '',
  ].join('\r\n');

const OPUS = { payloadType: 111, tagged: null };

/**
 * The same offer with one bundle, whose transport its first description has: its sound has the port
 * 0 there (RFC 9143, section 6).
 * @param {string} [direction]
 */
function bundleOf(direction) {
  const lines = offerOf(direction).split('\r\n');
  const isTransport = (/** @type {string} */ line) =>
    /^a=(?:ice-|fingerprint|setup|rtcp-mux)/.test(line);
  return lines
    .filter((line) => !isTransport(line))
    .map((line) => line.replace('m=audio 9', 'm=audio 0'))
    .flatMap((line) => (line === 'a=mid:0' ? [line, ...lines.filter(isTransport)] : [line]))
    .flatMap((line) => (line === 'a=mid:1' ? [line, 'a=bundle-only'] : [line]))
    .join('\r\n');
}

describe('an offer', () => {
  it('is reduced to Opus, without its candidates; other media are refused', () => {
    const read = readOffer(offerOf(), 'send');
    expect(read).toMatchObject({ payloadType: 111 });
    const { sdp } = /** @type {{ sdp: string }} */ (read);
    expect(sdp).toMatch(/^m=video 0 /m);
    expect(sdp).toMatch(/^m=audio 9 UDP\/TLS\/RTP\/SAVPF 111\r$/m);
    expect(sdp).toMatch(/^a=group:BUNDLE 1\r$/m);
    expect(sdp).not.toMatch(/candidate|red|G722|extmap|10\.0\.0\.1/);
    for (const kept of ['ice-ufrag:abcd', 'fingerprint:sha-256 AA:BB', 'setup:actpass', 'mid:1'])
      expect(sdp).toContain(`a=${kept}\r\n`);
  });

  it('has one direction in its answer, though it offers both', () => {
    for (const [direction, line] of /** @type {const} */ ([
      ['send', 'a=sendonly'],
      ['receive', 'a=recvonly'],
    ])) {
      const { sdp } = /** @type {{ sdp: string }} */ (readOffer(offerOf('sendrecv'), direction));
      expect(sdp.split('\r\n').filter((one) => /^a=(?:send|recv)/.test(one))).toEqual([line]);
    }
  });

  it('whose first description has the transport of the bundle keeps it', () => {
    const read = readOffer(bundleOf(), 'send');
    const { sdp } = /** @type {{ sdp: string }} */ (read);
    const sound = sdp.slice(sdp.indexOf('m=audio 9 '));
    for (const kept of ['ice-ufrag:abcd', 'fingerprint:sha-256 AA:BB', 'setup:actpass', 'rtcp-mux'])
      expect(sound).toContain(`a=${kept}\r\n`);
    const answer = [
      ...['v=0', 'a=group:BUNDLE 1', 'm=video 0 UDP/TLS/RTP/SAVPF 96', 'a=mid:0', 'a=setup:active'],
      ...['m=audio 8080 UDP/TLS/RTP/SAVPF 111', 'a=mid:1', 'a=recvonly', 'a=rtcp-mux'],
      ...['a=rtpmap:111 opus/48000/2', 'a=setup:active', 'a=ice-ufrag:x', 'a=ice-pwd:y'],
      ...['a=candidate:1 1 UDP 2122317823 10.0.0.5 8080 typ host', ''],
    ].join('\r\n');
    const finished = finishAnswer(answer, /** @type {any} */ (read));
    expect(finished).toContain('a=group:BUNDLE 0 1\r\n');
    const [, video, audio] = finished.split(/^(?=m=)/m);
    expect(video.split('\r\n')).toEqual([
      ...['m=video 9 UDP/TLS/RTP/SAVPF 96', 'c=IN IP4 0.0.0.0', 'a=mid:0', 'a=inactive'],
      ...['a=rtpmap:96 VP8/90000', 'a=rtcp-mux', 'a=setup:active', 'a=ice-ufrag:x', 'a=ice-pwd:y'],
      ...['a=candidate:1 1 UDP 2122317823 10.0.0.5 8080 typ host', ''],
    ]);
    expect(audio).toContain('a=recvonly\r\n');
  });

  it('without Opus, or of the other direction, has no sound', () => {
    expect(readOffer(offerOf().replace(/opus/, 'speex'), 'send')).toBe('no-opus');
    expect(readOffer(offerOf().replace('m=audio 9', 'm=audio 0'), 'send')).toBe('no-opus');
    expect(readOffer(offerOf('sendonly'), 'receive')).toBe('no-opus');
    expect(readOffer(offerOf('recvonly'), 'receive')).toMatchObject({ payloadType: 111 });
    expect(readOffer('v=0\r\n', 'send')).toBe('no-opus');
  });

  it('that is none, or much too long, is malformed', () => {
    for (const text of ['', 'hello', `v=0\n${'a=x\n'.repeat(2000)}`])
      expect(readOffer(text, 'send')).toBe('malformed');
    expect(readOffer(offerOf().replace('a=mid:1', 'a=mid:1 2'), 'send')).toBe('malformed');
    expect(readOffer(offerOf().replace('a=mid:1\r\n', ''), 'send')).toBe('malformed');
  });
});

it('an answer has the addresses by which clients reach the server, behind its own', () => {
  const own = 'a=candidate:1 1 UDP 2122317823 10.0.0.5 8080 typ host';
  const finished = finishAnswer(`v=0\r\nm=audio 9 x 111\r\n${own}\r\na=mid:0\r\n`, OPUS, [
    '10.0.0.5',
    '192.0.2.7',
  ]);
  expect(finished.split('\r\n').filter((line) => line.includes('candidate'))).toEqual([
    own,
    'a=candidate:added0 1 UDP 1 192.0.2.7 8080 typ host',
  ]);
});

it('an answer asks for stereo at a rate for music', () => {
  const answer = 'v=0\r\nm=audio 9 x 111\r\na=rtpmap:111 opus/48000/2\r\na=fmtp:111 old\r\n';
  const finished = finishAnswer(answer, OPUS);
  expect(finished).toMatch(/a=rtpmap:111 opus\/48000\/2\r\na=fmtp:111 .*stereo=1.*\r\n$/);
  expect(finished).not.toContain('old');
});
