import { describe, expect, it } from 'vitest';
import { ClockSync } from '../../../../public/client/clock/clock-sync.js';
import { Uplink } from '../../../../public/client/capture/uplink.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { Lateness } from '../../../../server/source/lateness.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';
import { random as randomOf } from '../../../fakes/random.js';

const SECONDS = 12;

/**
 * The time from a piece's end to the arrival of its packets at the server, in milliseconds, and its
 * jitter.
 */
const WAY_MS = 0.3;
const JITTER_MS = 0.3;

/** The places of the grid at which a microphone begins, in milliseconds. */
const PHASES = Array.from({ length: 10 }, (_, ms) => ms);

/**
 * Returns the smallest D that has a microphone's frames in the mix, and the time from a piece's end
 * until its last frame is mixed at that D, in milliseconds.
 * @param {number} frameMs
 * @param {number} pieceMs  in which sound comes from the microphone
 * @param {number} phase
 */
function needOf(frameMs, pieceMs, phase) {
  const format = createAudioFormat({ frameMs });
  const random = randomOf(phase + 1);
  const clockSync = new ClockSync(format.sampleRate);
  clockSync.add(0, 0, 0);
  const lateness = new Lateness({ frameMs, maxMs: 400, targetPercent: 99.5 });
  const packet = new Packet();
  let [nowMs, newestEndMs, pieceEndMs] = [0, 0, 0];
  const send = (/** @type {Uint8Array} */ bytes) => {
    readPacket(bytes, packet);
    newestEndMs = (packet.frame + 1) * frameMs;
    lateness.add(nowMs + WAY_MS - newestEndMs, nowMs);
    return true;
  };
  const encoder = new PayloadEncoder(new PcmCodec().createEncoder(format), format);
  const uplink = new Uplink({ format, clockSync, encoder, send });
  const piece = new Float32Array((pieceMs * format.sampleRate) / 1000).fill(0.1);
  for (let i = 1; i * pieceMs < SECONDS * 1000; i++) {
    pieceEndMs = phase + i * pieceMs;
    nowMs = pieceEndMs + JITTER_MS * random();
    if (nowMs > 1000 && nowMs < 1010) lateness.forget();
    uplink.capture(piece, piece.length, nowMs);
  }
  uplink.close();
  lateness.review(nowMs, null);
  return { needMs: lateness.needMs, mixedMs: newestEndMs + lateness.needMs - pieceEndMs };
}

describe('a microphone whose sound comes in pieces', () => {
  it.each([
    [20, 10, 0, 6],
    [10, 10, 0, 6],
    [5, 10, 0, 4],
    [2.5, 10, 1, 3],
    [2.5, 20, 9, 11],
    [10, 2.5, 1, 3],
    [5, 2.5, 1, 3],
    [2.5, 2.5, 1, 3],
  ])(
    'asks with frames of %d ms and pieces of %d for a D of %d to %d ms',
    (frameMs, pieceMs, least, most) => {
      const needs = PHASES.map((phase) => needOf(frameMs, pieceMs, phase).needMs);
      expect([Math.min(...needs), Math.max(...needs)]).toEqual([least, most]);
    },
  );

  it.each([
    [5, 10],
    [2.5, 10],
    [2.5, 20],
  ])(
    'is mixed within the length of a piece (frames of %d ms, pieces of %d)',
    (frameMs, pieceMs) => {
      for (const phase of PHASES)
        expect(needOf(frameMs, pieceMs, phase).mixedMs).toBeLessThanOrEqual(pieceMs);
    },
  );
});
