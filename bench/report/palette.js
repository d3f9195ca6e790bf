/**
 * The look of plots and tables. Each protocol has a colour of the set by Okabe and Ito (2008),
 * distinct for people with any colour vision. A dash and a marker distinguish it in grey print.
 */

/**
 * @typedef {object} Look
 * @property {number} slot       the colour's number, in style.css --series-<slot>
 * @property {string} colour     on white
 * @property {number[]} dash     lengths of strokes and gaps; empty is a solid line
 * @property {string} marker     ECharts' name of a shape
 * @property {boolean} isHollow
 */

/** Colours of text, lines and ground; svg.js swaps them for the page's own. */
export const INK = '#1c2126';
export const MUTED = '#5a636d';
export const RULE = '#dfe3e8';
export const MARK = '#6e7781';
export const PAPER = '#fefefe';

export const FONT = 'Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif';

/** Series' colours on white; style.css has lighter ones for a dark page. */
export const COLOURS = [
  '#0072b2',
  '#d55e00',
  '#00795a',
  '#b0508a',
  '#a87400',
  '#3f8fc4',
  '#5b5b5b',
];

const LABELS = new Map([
  ['webtransport', 'WebTransport'],
  ['http1', 'HTTP/1'],
  ['websocket', 'WebSocket'],
  ['rtp', 'WebRTC audio'],
  ['datachannel', 'WebRTC data channel'],
  ['datagrams', 'WebTransport datagrams'],
  ['stream', 'WebTransport on one stream'],
  ['streams', 'WebTransport on a stream each'],
  ['redundant-datagrams', 'WebTransport datagrams, each with the one before'],
  ['reset-streams', 'WebTransport on streams that are reset'],
  ['datachannel-chromium', 'WebRTC data channel, Chromium'],
  ['http1-per-request', 'HTTP/1, a connection for each request'],
  ['switching', 'WebTransport datagrams, or one stream while many are lost'],
]);

/** Congestion controllers, of ways such as `datagrams@copa`. */
const CONTROLLER_LABELS = new Map([
  ['cubic', 'CUBIC with room for live sound'],
  ['newreno', 'NewReno with room for live sound'],
  ['bbr', 'BBR with room for live sound'],
  ['bbr3', 'BBRv3 with room for live sound'],
  ['cubic-bare', 'CUBIC'],
  ['newreno-bare', 'NewReno'],
  ['bbr-bare', 'BBR'],
  ['bbr3-bare', 'BBRv3'],
  ['none', 'no congestion control'],
  ['copa', 'Copa'],
]);

/** Carriers of messages beside the sound, of ways such as `datagrams+stream`. */
const MESSAGE_LABELS = new Map([
  ['stream', 'messages on a stream of their own'],
  ['same', 'messages on the same stream'],
  ['datagrams', 'messages in datagrams'],
]);

/** Protocols that have a name for people, in the order of their colours. */
export const PROTOCOLS = Object.freeze([...LABELS.keys()]);

const DASHES = [[], [6, 3], [2, 2.5], [10, 3, 2, 3], [12, 4], [8, 2, 2, 2, 2, 2]];
const MARKERS = ['circle', 'diamond', 'triangle', 'rect', 'roundRect', 'pin'];

/**
 * @param {string} protocol
 * @returns {string} as people write it
 */
export function protocolLabel(protocol) {
  const [, name, controller, messages] = /^([^@+]*)(?:@(.*))?(?:\+(.*))?$/.exec(protocol) ?? [
    '',
    protocol,
  ];
  const parts = [
    LABELS.get(name) ?? name,
    controller && (CONTROLLER_LABELS.get(controller) ?? controller),
    messages && (MESSAGE_LABELS.get(messages) ?? messages),
  ];
  return parts.filter(Boolean).join(', ');
}

/**
 * @param {{ protocol: string, variant?: number }[]} series of one plot
 * @returns {Look[]} for each, no two alike among the first six of a protocol
 */
export function looksOf(series) {
  const strangers = [...new Set(series.map(({ protocol }) => protocol))].filter(
    (name) => !PROTOCOLS.includes(name),
  );
  return series.map(({ protocol, variant = 0 }) => {
    const known = PROTOCOLS.indexOf(protocol);
    const place = known >= 0 ? known : PROTOCOLS.length + strangers.indexOf(protocol);
    const slot = place % COLOURS.length;
    return {
      slot,
      colour: COLOURS[slot],
      dash: DASHES[(place + 2 * variant) % DASHES.length],
      marker: MARKERS[(place + 2 * variant) % MARKERS.length],
      isHollow: (place + variant) % 2 === 1,
    };
  });
}
