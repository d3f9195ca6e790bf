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
  const finished = finishAnswer(`v=0\r\nm=audio 9 x 111\r\n${own}\r\na=mid:0\r\n`, 111, [
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
  const finished = finishAnswer(answer, 111);
  expect(finished).toMatch(/a=rtpmap:111 opus\/48000\/2\r\na=fmtp:111 .*stereo=1.*\r\n$/);
  expect(finished).not.toContain('old');
});
