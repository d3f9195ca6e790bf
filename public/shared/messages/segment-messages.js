/**
 * Control messages of a session over which a recording is heard in segments, both ways.
 *
 * @typedef {z.input<typeof clientSegmentMessage>} ClientSegmentMessage  as clients write it
 * @typedef {z.output<typeof clientSegmentMessage>} ReadSegmentMessage  as the server has read it
 * @typedef {z.output<typeof recordingMessage>} RecordingMessage  of the server
 */

import { z } from 'zod';
import { count } from './fields.js';

/** Names of the rules for the rate of the next segment, the default first. */
export const SEGMENT_RULES = Object.freeze(
  /** @type {const} */ (['careful', 'basic', 'simple', 'static']),
);

/** Lead of the sent sound over the played sound that a client may request, in seconds. */
const BUFFER = Object.freeze({ min: 3, max: 10, most: 60 });

const epoch = z.number().int().min(0).max(0xffff);

export const clientSegmentMessage = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('play'),
      epoch,
      from: z.number().int().min(0).max(0xffffffff).describe('number of the first segment'),
      rule: z.enum(SEGMENT_RULES).default(SEGMENT_RULES[0]),
      rate: z.number().positive().max(1e9).default(1e9).describe('highest, in b/s'),
      min: z.number().min(1).max(BUFFER.most).default(BUFFER.min).describe('seconds ahead'),
      max: z.number().min(1).max(BUFFER.most).default(BUFFER.max).describe('seconds ahead'),
    })
    .describe(
      'sends segments from `from` on, and drops the last request; `min` and `max` are the ' +
        'seconds of sound that the client wants ahead, `rate` the highest bit rate in b/s',
    ),
  z
    .object({ type: z.literal('pace'), speed: z.number().min(0.25).max(4), paused: z.boolean() })
    .describe('speed of playing, or a pause'),
  z
    .object({ type: z.literal('got'), epoch: z.number().int(), number: z.number().int() })
    .describe('acknowledges a complete segment'),
]);

export const recordingMessage = z.object({
  type: z.literal('recording'),
  rates: z.array(z.number()).readonly().describe('bit rates, in b/s, rising'),
  channels: z.number(),
  count: count.describe('number of available segments'),
  whole: z.boolean().describe('no more segments will come'),
  on: z.boolean().describe('the recording is still running'),
});
