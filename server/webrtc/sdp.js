/**
 * Reads and writes the few parts of SDP that a stream of Opus needs (RFC 8866, RFC 8829). An offer
 * is reduced to one description of Opus before the library reads it. Its candidates are left out:
 * the peer comes to the server, which asks no address that a stranger has named.
 *
 * @typedef {object} Offer
 * @property {string} sdp          with Opus alone
 * @property {number} payloadType  of Opus
 * @property {string} mid          of its description
 * @property {Tagged | null} tagged  null when Opus's own description has the transport
 *
 * @typedef {object} Tagged  the description whose transport all bundled media share, which an
 *   answer that refuses it takes from them (RFC 9143, section 7.3.1)
 * @property {number} index    among the descriptions of media
 * @property {string} mid
 * @property {string[]} lines  that accept it, without its transport
 */

/** Lines of a description that belong to its transport. */
const TRANSPORT = /^a=(?:ice-ufrag|ice-pwd|ice-options|fingerprint|setup|rtcp-mux|rtcp-rsize)\b/;

/** Lines of a description of Opus that the library needs; all others are left out. */
const KEPT = /^(?:c=|a=(?:mid|ssrc|msid)\b)/;

/** Lines of the session that describe the connection of all media. */
const SESSION = /^(?:v=0$|o=|s=|t=|a=(?:ice-ufrag|ice-pwd|ice-options|fingerprint|setup)\b)/;

/** Most lines of an offer: browsers write some hundred. */
const MAX_LINES = 1000;

/** Wishes to a program that sends: stereo, at a rate for music, without gaps in silence. */
const WISHES = 'minptime=10;useinbandfec=1;stereo=1;maxaveragebitrate=128000';

/**
 * Reads an offer.
 * @param {string} text
 * @param {'send' | 'receive'} direction  of the offering peer
 * @returns {Offer | 'malformed' | 'no-opus'}
 */
export function readOffer(text, direction) {
  const lines = text.split(/\r?\n/).filter(Boolean);
  if (lines[0] !== 'v=0' || lines.length > MAX_LINES) return 'malformed';
  const starts = lines.flatMap((line, at) => (line.startsWith('m=') ? [at] : []));
  const session = lines.slice(0, starts[0] ?? lines.length);
  const media = starts.map((start, i) => lines.slice(start, starts[i + 1]));
  const [wanted, wrong] =
    direction === 'send' ? ['a=sendonly', 'a=recvonly'] : ['a=recvonly', 'a=sendonly'];
  const chosen = media.findIndex(
    (section) => opusOf(section) !== null && !isOff(section) && !section.includes(wrong),
  );
  if (chosen < 0) return 'no-opus';
  const payloadType = /** @type {number} */ (opusOf(media[chosen]));
  const mid = midOf(media[chosen]);
  if (mid === undefined || !isSafe(mid)) return 'malformed';
  const tagged = taggedOf(session, media, mid);
  const transport = transportOf(media[chosen]);
  if (tagged && !transport.some(isUser)) transport.push(...transportOf(media[tagged.index]));
  const sections = media.flatMap((section, i) =>
    i === chosen ? [...onlyOpus(section, payloadType), ...transport, wanted] : rejected(section),
  );
  const head = [...session.filter((line) => SESSION.test(line)), `a=group:BUNDLE ${mid}`];
  return { sdp: [...head, ...sections, ''].join('\r\n'), payloadType, mid, tagged };
}

/** @param {string[]} section */
const transportOf = (section) => section.filter((line) => TRANSPORT.test(line));

/** @param {string} line */
const isUser = (line) => line.startsWith('a=ice-ufrag:');

/** @param {string[]} section */
const midOf = (section) =>
  section.find((line) => line.startsWith('a=mid:'))?.slice('a=mid:'.length);

/**
 * @param {string[]} session
 * @param {string[][]} media
 * @param {string} mid  of Opus
 * @returns {Tagged | null} null unless another description has the transport of Opus
 */
function taggedOf(session, media, mid) {
  const groups = session
    .filter((line) => line.startsWith('a=group:BUNDLE '))
    .map((line) => line.split(' ').slice(1));
  const [first = mid] = groups.find((mids) => mids.includes(mid)) ?? [];
  const index = media.findIndex((section) => midOf(section) === first);
  if (first === mid || index < 0 || !isSafe(first)) return null;
  const [, kind, protocol, type] =
    /^m=(audio|video) [1-9]\d* (\S+) (\d{1,3})\b/.exec(media[index][0]) ?? [];
  if (kind === undefined) return null;
  const ofType = (/** @type {string} */ line) =>
    /^a=(?:rtpmap|fmtp):(\d+) /.exec(line)?.[1] === type;
  const lines = [
    `m=${kind} 9 ${protocol} ${type}`,
    ...['c=IN IP4 0.0.0.0', `a=mid:${first}`, 'a=inactive'],
    ...media[index].filter(ofType),
  ];
  return { index, mid: first, lines };
}

/** True for an identifier that stands in SDP (RFC 8859). @param {string} mid */
const isSafe = (mid) => /^[\w.+-]{1,32}$/.test(mid);

/**
 * True for a description that the peer has refused. One that is in the bundle or not there has the
 * port 0, too (RFC 9143, section 6).
 * @param {string[]} section
 */
const isOff = ([media, ...lines]) =>
  (/^m=\S+ 0 /.test(media) && !lines.includes('a=bundle-only')) || lines.includes('a=inactive');

/**
 * @param {string[]} section  of media
 * @returns {number | null} payload type of Opus; null without
 */
function opusOf([media, ...lines]) {
  if (!media.startsWith('m=audio ')) return null;
  for (const line of lines) {
    const [, type] = /^a=rtpmap:(\d{1,3}) opus\/48000\/2$/i.exec(line) ?? [];
    if (type !== undefined && Number(type) <= 127) return Number(type);
  }
  return null;
}

/** @param {string[]} section @param {number} payloadType */
const onlyOpus = ([, ...lines], payloadType) => [
  `m=audio 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
  ...lines.filter((line) => KEPT.test(line)),
  `a=rtpmap:${payloadType} opus/48000/2`,
];

/** @param {string[]} section  of media that is refused: its port is 0 */
const rejected = ([media, ...lines]) => [
  media.replace(/^(m=[a-z]+) \d+/, '$1 0'),
  ...lines.filter((line) => /^(?:c=|a=mid:|a=rtpmap:|a=inactive$)/.test(line)),
];

/** Line of a candidate with the server's own address, which is the third group. */
const CANDIDATE = /^(a=candidate:)\S+( 1 UDP )\d+ (\S+)( \d+ typ host.*)$/i;

/** Priority of added candidates: below all others. */
const LAST_PRIORITY = 1;

/** Lines of an answer's description that belong to its transport. */
const ANSWERED = /^a=(?:ice-ufrag|ice-pwd|setup|rtcp-mux|candidate|end-of-candidates)\b/;

/**
 * Completes the library's answer with wishes for the sound, with further addresses of the server,
 * and with the description whose transport the sound shares.
 * @param {string} sdp
 * @param {Pick<Offer, 'payloadType' | 'tagged'>} offer
 * @param {readonly string[]} [addresses] by which clients may reach the server, behind a NAT
 */
export function finishAnswer(sdp, { payloadType, tagged }, addresses = []) {
  const lines = sdp.split(/\r?\n/).filter((line) => line && !line.startsWith('a=fmtp:'));
  const own = lines.flatMap((line) => CANDIDATE.exec(line) ?? []);
  const added = addresses.filter((address) => !own.includes(address));
  const last = lines.findLastIndex((line) => CANDIDATE.test(line));
  const finished = lines.flatMap((line, at) => {
    if (line.startsWith(`a=rtpmap:${payloadType} `))
      return [line, `a=fmtp:${payloadType} ${WISHES}`];
    return at === last ? [line, ...added.map((address, i) => copied(line, address, i))] : [line];
  });
  return [...(tagged ? withTagged(finished, tagged) : finished), ''].join('\r\n');
}

/**
 * Accepts the tagged description, without its media: browsers can't move the transport of a bundle
 * whose first description is refused.
 * @param {string[]} answer
 * @param {Tagged} tagged
 */
function withTagged(answer, { index, mid, lines }) {
  const starts = answer.flatMap((line, at) => (line.startsWith('m=') ? [at] : []));
  const sound = starts.findIndex((at) => !/^m=\S+ 0 /.test(answer[at]));
  const transport = answer
    .slice(starts[sound], starts[sound + 1])
    .filter((line) => ANSWERED.test(line));
  return [
    ...answer
      .slice(0, starts[index])
      .map((line) => line.replace(/^a=group:BUNDLE /, `a=group:BUNDLE ${mid} `)),
    ...lines,
    ...transport,
    ...answer.slice(starts[index + 1]),
  ];
}

/** @param {string} line  of a candidate @param {string} address @param {number} number */
const copied = (line, address, number) =>
  line.replace(
    CANDIDATE,
    (_, name, transport, _own, rest) =>
      `${name}added${number}${transport}${LAST_PRIORITY} ${address}${rest}`,
  );
