/**
 * Offers of WebRTC (SDP, RFC 8866 and 8829). Of a stranger's text the library that connects sees
 * nothing but the five values without which there is no connection, each checked: no media, and no
 * candidates, so that nobody can have the server look up names or send to addresses. It answers
 * those who write to it (RFC 8445, section 7.3.1.3).
 */

/**
 * The longest offer, in bytes: a browser's of two data channels has some 500, and 100 more for each
 * candidate.
 */
export const MAX_OFFER_BYTES = 8 * 1024;

/** The values, as RFC 8839 (sections 5.4), 8122 (section 5) and 5888 (section 4) write them. */
const FIELDS = Object.freeze({
  mid: /^a=mid:([\w-]{1,32})$/m,
  ufrag: /^a=ice-ufrag:([\w+/-]{4,256})$/m,
  password: /^a=ice-pwd:([\w+/-]{22,256})$/m,
  fingerprint: /^a=fingerprint:sha-256 ((?:[\dA-F]{2}:){31}[\dA-F]{2})$/im,
  port: /^a=sctp-port:(\d{1,5})$/m,
});

/**
 * @param {string} text
 * @returns {string | null} an offer of data channels with the text's values; null where it lacks
 *   one
 */
export function readOffer(text) {
  const lines = text.replaceAll('\r\n', '\n');
  const [mid, ufrag, password, fingerprint, port] = Object.values(FIELDS).map(
    (field) => field.exec(lines)?.[1],
  );
  if (!mid || !ufrag || !password || !fingerprint || !port || Number(port) > 65_535) return null;
  return [
    'v=0',
    'o=- 0 0 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${password}`,
    `a=fingerprint:sha-256 ${fingerprint}`,
    'a=setup:actpass',
    `a=sctp-port:${port}`,
    '',
  ].join('\r\n');
}
