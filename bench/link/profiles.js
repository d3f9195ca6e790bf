/**
 * Links by name. `thesis` is calibrated to its author's measurements. The others are typical, made
 * of round figures with a reason each, and describe no particular place. Rates are those of IP
 * packets; queues are given by the time to drain at that rate.
 */

/** @typedef {import('./settings.js').LinkSettings} LinkSettings */
/**
 * @typedef {Partial<LinkSettings> & { up?: Partial<LinkSettings>, down?: Partial<LinkSettings> }}
 *   LinkProfileSettings
 */
/**
 * @typedef {{ description: string, settings: LinkProfileSettings | null }} LinkProfile null: no
 *   link at all
 */

/** @type {Readonly<Record<string, LinkProfile>>} */
export const LINK_PROFILES = Object.freeze({
  loopback: {
    description: 'nothing between the two but this machine',
    settings: null,
  },

  clear: {
    description: 'an emulated link that impairs nothing',
    settings: {},
  },

  // Amsterdam to Paris, from the thesis. Ping is 24.391 / 27.448 / 86.342 ms (min, mean, max), with
  // deviation 6.489 ms and no loss (table 4.2). Iperf has 7.60 Mbit/s from client to server (table
  // 4.3); the MTU is Ethernet's. The ping of the other run (table 4.1: mean 25.851, deviation
  // 2.138, max 38.851) has no such peaks. So it gives the everyday jitter, and rare stalls of up to
  // 66 ms give the rest of the deviation. In eight of ten runs of the model, 300 pings at one a
  // second have a mean of 26.9 to 27.9 ms. Their deviation is 4.8 to 7.8 ms and their maximum 67 to
  // 88.
  thesis: {
    description:
      'Amsterdam to a cloud in Paris, as in the thesis: 27.4 ms ± 6.5, peaks to 86, 7.6 Mbit/s',
    settings: {
      delayMs: 11.95,
      jitter: 'lognormal',
      jitterMs: 1,
      jitterShape: 1,
      jitterCapMs: 12,
      jitterHoldMs: 20,
      stallsPerSecond: 0.6,
      stallMinMs: 20,
      stallMaxMs: 66,
      // TCP has 1448 of 1500 bytes for data, and doesn't fill the link at every moment: 7.6 Mbit/s
      // of data.
      rateBits: 8e6,
      queueMs: 100,
    },
  },

  // A switch or two, gigabit Ethernet.
  lan: {
    description: 'a wired office: half a millisecond round trip, 1 Gbit/s',
    settings: {
      delayMs: 0.15,
      jitter: 'lognormal',
      jitterMs: 0.03,
      jitterCapMs: 1,
      rateBits: 1e9,
      queuePackets: 1000,
    },
  },

  // A near server through fibre (5 ms each way) and a quiet access point. Contention costs a few
  // ms, a scan or retries some 20 ms; its own retransmissions hide nearly all loss.
  'home-wifi': {
    description: 'Wi-Fi at home, a near server: 12 ms round trip with small stalls, 60/20 Mbit/s',
    settings: {
      delayMs: 5,
      jitter: 'lognormal',
      jitterMs: 1,
      jitterShape: 1,
      jitterCapMs: 15,
      jitterHoldMs: 5,
      stallsPerSecond: 0.1,
      stallMinMs: 10,
      stallMaxMs: 30,
      lossPercent: 0.05,
      queueMs: 100,
      up: { rateBits: 20e6 },
      down: { rateBits: 60e6 },
    },
  },

  // Uplink grants must be requested and come every 10 ms or so, so the uplink is longer and less
  // even. Handovers and retransmissions stall it; queues are deep.
  '4g': {
    description: 'a phone on 4G: 50 ms round trip, uneven, deep queues, 20/8 Mbit/s',
    settings: {
      jitter: 'lognormal',
      jitterShape: 0.8,
      jitterCapMs: 60,
      jitterHoldMs: 10,
      stallsPerSecond: 0.1,
      stallMinMs: 20,
      stallMaxMs: 100,
      lossPercent: 0.1,
      queueMs: 400,
      up: { delayMs: 22, jitterMs: 6, rateBits: 8e6 },
      down: { delayMs: 18, jitterMs: 4, rateBits: 20e6 },
    },
  },

  // Two walls away, a neighbour on the channel. Random loss is 1 %, a burst of four packets comes
  // about every 300, and stalls last up to 150 ms.
  'bad-wifi': {
    description:
      'bad Wi-Fi: 25 ms round trip, much jitter, stalls to 150 ms, 2 % loss in part in ' +
      'bursts, 6/3 Mbit/s',
    settings: {
      delayMs: 6,
      jitter: 'pareto',
      jitterMs: 4,
      jitterShape: 2.5,
      jitterCapMs: 100,
      jitterHoldMs: 10,
      stallsPerSecond: 0.3,
      stallMinMs: 30,
      stallMaxMs: 150,
      lossPercent: 1,
      burstEnter: 0.0033,
      burstLeave: 0.25,
      badLossPercent: 80,
      queueMs: 250,
      up: { rateBits: 3e6 },
      down: { rateBits: 6e6 },
    },
  },

  // For measuring what loss does, which is added to it, and nothing else.
  'even-60': {
    description: 'nothing but 60 ms round trip, for losses to be added to',
    settings: { delayMs: 30 },
  },

  // The edge of a cell: enough for two voices, and not for what is repeated of them; the queue is
  // deep for that rate.
  thin: {
    description:
      'a path that carries two voices and no more: 40 ms round trip, 200 kbit/s both ways, ' +
      '1 % loss, 300 ms of queue',
    settings: { delayMs: 20, rateBits: 200e3, queueMs: 300, lossPercent: 1 },
  },

  // Geostationary: 35 786 km up and as far down, 239 ms each way at the least, and what the ground
  // adds.
  satellite: {
    description: 'a geostationary satellite: 600 ms round trip, 20/3 Mbit/s',
    settings: {
      delayMs: 290,
      jitter: 'lognormal',
      jitterMs: 8,
      jitterShape: 0.7,
      jitterCapMs: 60,
      jitterHoldMs: 20,
      lossPercent: 0.2,
      queueMs: 500,
      up: { rateBits: 3e6 },
      down: { rateBits: 20e6 },
    },
  },
});

/**
 * @param {string} name
 * @returns {LinkProfile}
 * @throws {RangeError} which lists the known names
 */
export function linkProfile(name) {
  if (Object.hasOwn(LINK_PROFILES, name)) return LINK_PROFILES[name];
  throw new RangeError(`there is no link ${name}, only ${Object.keys(LINK_PROFILES).join(', ')}`);
}
