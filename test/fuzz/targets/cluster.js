/** @import { Target } from '../target.js' */

import { ROLES } from '../../../public/shared/limits.js';
import { OPEN_GRANT } from '../../../server/state/grant.js';
import { ResumeTokens } from '../../../server/access/resume-token.js';
import { readClusterUrl } from '../../../server/config/readers.js';
import {
  beat,
  claim,
  clockRequest,
  clockAnswer,
  ClusterMessageReader,
  opened,
  opening,
  relayDown,
  relayUp,
  roomRules,
  where,
} from '../../../server/bus/messages.js';
import {
  MAX_STREAMS,
  MixMessage,
  MixWriter,
  readMix,
  ROOM_RATE,
} from '../../../server/relay/messages.js';
import { bytesOf, check } from '../target.js';

const NOW_MS = 1_800_000_000_000;
const fromUtf8 = new TextDecoder();
const node = { id: 'a1', url: 'https://a.example', h3Port: 4433, certificateHashes: ['aGFzaA=='] };
const rules = {
  locked: true,
  lobby: false,
  chat: 'everybody',
  record: 'moderators',
  password: { salt: 'c2FsdA==', hash: 'aGFzaA==' },
  bans: [{ name: 'Eve', identity: null, tokenId: null, network: '192.0.2.1', leftMs: 5 }],
};
const state = {
  ...rules,
  version: 2,
  frameMs: 10,
  channels: 2,
  mode: 'auto',
  e2e: false,
  serverDelayMs: 60,
  broadcast: { key: 'k', since: null },
  restraints: [{ identity: 'eve', network: null, kind: 'person', silenced: true, lowered: false }],
  places: [{ key: 'abc', epoch: NOW_MS, at: NOW_MS, out: true, role: null, silenced: null }],
};
const messages = [
  {
    version: 2,
    ...node,
    origins: ['https://call.example'],
    at: NOW_MS,
    people: 3,
    maxPeople: 1000,
    busy: false,
    draining: false,
    software: '1.0.0',
  },
  { version: 2, node: 'a1', epoch: NOW_MS },
  { version: 2, node: 'a1', epoch: NOW_MS, e2e: true },
  { version: 2, node, epoch: NOW_MS },
  {
    version: 2,
    room: 'tea',
    hold: true,
    above: 0,
    chat: {
      messages: [
        { number: 1, from: '1', name: 'Ann', text: 'hello', at: '2026-11-25T00:00:00.000Z' },
      ],
      next: 2,
    },
  },
  { version: 2, node: null },
  { version: 2, room: 'tea', rules },
  { version: 2, from: 'a1', room: 'tea', rules: state },
  { version: 2, from: 'a1', room: 'tea', rules: null, places: state.places },
  { version: 2, node, epoch: NOW_MS, relays: true },
  {
    version: 2,
    from: 'b2',
    room: 'tea',
    epoch: NOW_MS,
    links: [
      { type: 'link', id: 1, peer: '192.0.2.1:9', message: { type: 'join' } },
      { type: 'control', id: 1, message: null },
      { type: 'heard', ids: [1, 2] },
      { type: 'closed', id: 1, code: 0 },
      { type: 'rates', wanted: [0, 2, 255] },
      { type: 'again' },
    ],
  },
  {
    version: 2,
    room: 'tea',
    epoch: NOW_MS,
    answers: [
      { type: 'tell', ids: [1], message: { type: 'welcome' } },
      { type: 'close', id: 1, code: 62, reason: 'again' },
    ],
  },
  { version: 2, room: 'tea' },
  { version: 2, epoch: NOW_MS, clock: 96_000.5 },
  { version: 2, id: 'b2', url: 'https://b.example' },
];
const SCHEMAS = [
  beat,
  claim,
  where,
  opening,
  opened,
  roomRules,
  relayUp,
  relayDown,
  clockRequest,
  clockAnswer,
];

/** A message between nodes is taken or dropped. @type {Target} */
export const clusterMessages = {
  name: 'cluster-messages',
  cost: 20,
  valid: messages.map((message) => bytesOf(JSON.stringify(message))),
  run(input) {
    let message;
    try {
      message = JSON.parse(fromUtf8.decode(input));
    } catch {
      return;
    }
    let warned = 0;
    const reader = new ClusterMessageReader({ warn: () => void (warned += 1) });
    for (const schema of SCHEMAS) {
      const read = /** @type {any} */ (reader.read(schema, message));
      for (const url of [read?.url, read?.node?.url].filter(Boolean))
        check(new URL(url).origin.startsWith('http'), 'a node is reached over HTTP');
      if (read?.room !== undefined)
        check(/^[A-Za-z0-9_-]{1,64}$/.test(read.room), 'a room’s name is a word of a subject');
    }
    check(warned <= 1, 'a node of another version is named once');
  },
};

const tokens = new ResumeTokens({
  key: 'the key of a cluster',
  wallNow: () => NOW_MS,
  awayMs: 30_000,
});
const place = {
  room: 'tea',
  key: 'abc',
  id: '7',
  name: 'Ann',
  label: 'Ann',
  grant: OPEN_GRANT,
  role: /** @type {const} */ ('speaker'),
  muted: false,
  silenced: false,
  hand: 0,
  group: 0,
  language: null,
  epoch: 5,
  settings: {
    frameMs: 10,
    channels: /** @type {const} */ (2),
    mode: /** @type {const} */ ('forward'),
    e2e: true,
  },
};
const good = [
  tokens.sign(place),
  tokens.sign({
    ...place,
    role: 'moderator',
    silenced: true,
    language: 'pt-BR',
    grant: { ...OPEN_GRANT, identity: 'ann', withheld: new Set(['chat']) },
  }),
];
const texts = new Set(good.map((token) => token.slice(0, token.lastIndexOf('.'))));

/** A resume token that nobody signed is none. @type {Target} */
export const resumeTokens = {
  name: 'resume-tokens',
  cost: 10,
  valid: [...good, '', 'AAAAAAAAAAAAAAAAAAAAAA'].map(bytesOf),
  run(input) {
    const token = fromUtf8.decode(input);
    const read = tokens.readTaken(token, 'tea', 6);
    if (read === null) return;
    check(
      texts.has(token.slice(0, token.lastIndexOf('.'))),
      'a place is taken over with a token that was signed',
    );
    check(ROLES.includes(read.role), 'a role is one of those that there are');
  },
};

/** An address of NATS is read or refused. @type {Target} */
export const clusterUrls = {
  name: 'cluster-urls',
  cost: 5,
  valid: [
    'nats://localhost:4222',
    'nats://ann:secret@a.example:4222,nats://b.example',
    'tls://token@[2001:db8::1]:4443',
    'nats://%zz@a',
  ].map(bytesOf),
  run(input) {
    const read = readClusterUrl(fromUtf8.decode(input));
    if (read)
      check(
        read.servers.length > 0 && read.servers.every((server) => /:\d{1,5}$/.test(server)),
        'each server has a port',
      );
  },
};

/** @param {number} epoch @param {number} rate @param {Uint8Array} packet */
function writeMix(epoch, rate, packet) {
  const writer = new MixWriter(epoch);
  writer.add(rate, packet);
  return writer.take();
}

const mix = new MixMessage();

/** The packets of a relayed mix lie in its message, one behind the other. @type {Target} */
export const relayedMixes = {
  name: 'relayed-mixes',
  cost: 1,
  valid: [
    writeMix(NOW_MS, ROOM_RATE, new Uint8Array(360)),
    new Uint8Array([...writeMix(NOW_MS, 0, new Uint8Array(40)), 1, 0, 2, 7, 7]),
  ],
  run(input) {
    if (!readMix(input, mix)) return;
    check(mix.count >= 1 && mix.count <= MAX_STREAMS, 'there are one to eight packets');
    check(Number.isSafeInteger(mix.epoch) && mix.epoch >= 0, 'an epoch is a whole number');
    for (let i = 0; i < mix.count; i++) {
      const end = mix.starts[i] + mix.lengths[i];
      check(
        mix.lengths[i] > 0 && end === (i + 1 < mix.count ? mix.starts[i + 1] - 3 : input.length),
        'packets fill the message',
      );
    }
  },
};
