import { describe, expect, it } from 'vitest';
import { Playout } from '../../../../public/client/playout/playout.js';
import { Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder } from '../../../../public/shared/stream/payload.js';
import { Conference } from '../../../fakes/conference.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';
import { random } from '../../../fakes/random.js';
import { byLength } from '../../../support/long.js';

const SECONDS = byLength({ short: 80, long: 240 });
/** Until redundancy and delays have found their place. */
const SETTLE_SECONDS = 5;
const WAY_MS = 30;

/** The number of values that stand for frames, a step apart: a decoded value tells its frame. */
const VALUES = 1000;
const STEP = 0.0005;

/** Says words of 0.1 to 2 s and makes pauses of 0.1 to 1 s. @param {() => number} next */
function talker(next) {
  let [left, speaks] = [0, false];
  return () => {
    if (left === 0) {
      speaks = !speaks;
      left = 5 + Math.floor(next() * (speaks ? 95 : 45));
    }
    left -= 1;
    return speaks;
  };
}

/**
 * Has Bob, who speaks now and then, hear Ann on a way that loses packets.
 * @param {number} share independently lost packets
 * @returns {Promise<{ spoken: number, heard: number, delayMs: number }>} frames, and Bob's playout
 *   delay at the end
 */
async function present(share) {
  const conference = new Conference({
    silenceSuppression: true,
    redundancy: 'auto',
    serverDelayMs: 60,
    idleTimeoutMs: 1e9,
  });
  const { format, clock } = conference;
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  const next = random(7);
  const codec = new PcmCodec();
  /** @type {number} */
  let decoded;
  const decoders = [0, 1].map(() => {
    const decoder = codec.createDecoder({ frameSamples: format.frameSamples });
    const decode = decoder.decode;
    decoder.decode = (bytes, start, length, out, at) => {
      const good = decode(bytes, start, length, out, at);
      decoded = Math.round((out[at] - 0.1) / STEP);
      return good;
    };
    return new PayloadDecoder(decoder, format);
  });
  const playout = new Playout(format, decoders);
  const packet = new Packet();
  bob.session.send = (bytes) => {
    if (next() < share) return true;
    const copy = bytes.slice();
    clock.setTimeout(() => {
      if (readPacket(copy, packet) !== null) throw new Error('a packet that cannot be read');
      playout.receive(packet, copy, clock.now());
    }, WAY_MS);
    return true;
  };
  const [annSpeaks, bobSpeaks] = [talker(random(1)), talker(random(2))];
  const silent = [9, 9];
  let given = 0;
  const spoken = new Set();
  const heard = new Set();
  const out = new Float32Array(format.frameSamples + 8);
  for (let frame = 0; frame < SECONDS * 50; frame++) {
    conference.pass(1);
    const speaks = [annSpeaks(), bobSpeaks()];
    for (const [i, person] of [ann, bob].entries()) {
      silent[i] = speaks[i] ? 0 : silent[i] + 1;
      const value = i === 0 ? 0.1 + (frame % VALUES) * STEP : 0.1;
      if (silent[i] <= 2)
        await person.speak(frame, speaks[i] ? value : null, {
          level: speaks[i] ? 20 : 127,
          voice: speaks[i],
        });
    }
    if (speaks[0] && frame >= SETTLE_SECONDS * 50) spoken.add(frame);
    while (given < (frame + 1) * format.frameSamples) {
      const { played } = playout.counters;
      decoded = -1;
      given += playout.pull(out, clock.now());
      // The last that was decoded is heard; what was decoded before it only sets a decoder going.
      if (playout.counters.played > played && decoded >= 0)
        heard.add(frame - ((((frame - decoded) % VALUES) + VALUES) % VALUES));
    }
    if (frame % 50 === 49)
      bob.session.handler?.control({
        type: 'report',
        lostPercent: playout.lostPercent(clock.now()),
      });
  }
  const last = SECONDS * 50 - 50;
  const counted = [...spoken].filter((frame) => frame < last);
  const missing = counted.filter((frame) => !heard.has(frame));
  const { delayMs } = playout;
  playout.close();
  return { spoken: counted.length, heard: counted.length - missing.length, delayMs };
}

describe('speech on a way that loses packets', () => {
  it.each([
    [0, 100],
    [0.05, 99.98],
    [0.1, 99.85],
  ])('with %f lost is there for at least %f %', async (share, percent) => {
    const { spoken, heard } = await present(share);
    expect(spoken).toBeGreaterThan(25 * SECONDS);
    expect((100 * heard) / spoken).toBeGreaterThanOrEqual(percent);
  });
});
