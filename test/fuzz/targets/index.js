/** @import { Target } from '../target.js' */

import { audioPackets } from './audio-packets.js';
import { carriedPackets } from './carried-packets.js';
import { clusterMessages, clusterUrls, relayedMixes, resumeTokens } from './cluster.js';
import { controlLines, controlMessages } from './control-lines.js';
import { forwardedHeaders } from './forwarded.js';
import { operatorBodies } from './operator.js';
import { opusDecoders, opusPackets, payloadsTarget } from './opus.js';
import { packetLists } from './packet-lists.js';
import { sealedPayloads } from './sealed.js';
import { engineSessions, httpBodies, webSockets } from './sessions.js';
import { soundFiles } from './sound-files.js';
import { tokenClaims, tokens } from './tokens.js';
import { trackPieces } from './track-pieces.js';

/** All that takes bytes from outside. @type {readonly Target[]} */
export const TARGETS = Object.freeze([
  audioPackets,
  packetLists,
  trackPieces,
  soundFiles,
  sealedPayloads,
  carriedPackets,
  opusPackets,
  controlLines,
  controlMessages,
  forwardedHeaders,
  tokens,
  tokenClaims,
  resumeTokens,
  clusterMessages,
  clusterUrls,
  relayedMixes,
  opusDecoders,
  payloadsTarget,
  operatorBodies,
  engineSessions,
  webSockets,
  httpBodies,
]);
