/** Parameters of the rule `probe`. */
export const PROBE_RULE = Object.freeze({
  /** Initial rate, in bits a second: good for a voice, and the most by default. */
  startBps: 64_000,
  /**
   * Loss with a queue above which the rate goes down, in percent: two repeats still repair it
   * (bench/docs/measuring.md).
   */
  lostPercent: 3,
  /**
   * Standard deviations above that from which loss without a queue counts: loss of a radio link
   * varies.
   */
  lostDeviations: 3,
  /**
   * Fewest lost packets in a window that count. In 2 s one of 33 is 3 % already, and three are
   * chance at 2 % loss.
   */
  leastLost: 4,
  /** Window of loss, in milliseconds, and fewest packets to judge it by. */
  lossMs: 2000,
  leastSent: 10,
  /**
   * Growth of the round trip above which the path is too narrow, in milliseconds: more than playout
   * makes up for.
   */
  queueMs: 150,
  /**
   * Same growth for sure arrival: the buffer lasts longer the sooner less is sent, and a step too
   * many isn't heard.
   */
  sureQueueMs: 75,
  /**
   * Wait of the oldest packet in flight, beyond a round trip, from which the path is too narrow, in
   * milliseconds. It isn't less than the stalls of a bad Wi-Fi, of 150 ms (bench/link/profiles.js),
   * which a smoothed round trip hardly shows.
   */
  lateMs: 150,
  /**
   * Same wait if packets still arrive, each later than the last, in milliseconds: in a stall none
   * arrives. When a path falls from 200 to 40 kb/s, a wait of 150 ms comes 0.13 s later. By then a
   * queue of 300 ms is full and packets are lost.
   */
  risingMs: 75,
  /** Time for which receivers hold acknowledgements, in milliseconds. */
  heldMs: 25,
  /**
   * Time for which a packet may be in flight beyond a round trip, in milliseconds: receivers hold
   * acknowledgements for 25.
   */
  ackMs: 40,
  /**
   * Growth from which a queue has caused the loss, in milliseconds: more than a radio link's
   * retries.
   */
  mildQueueMs: 30,
  /** Growth that ends a probe, in milliseconds: it comes before sound is late. */
  probeQueueMs: 40,
  /**
   * Time for which the least round trip is remembered, once to twice, in milliseconds: a path may
   * become longer.
   */
  memoryMs: 30_000,
  /**
   * Duration of a probe, and of a step that may be undone, in milliseconds. The bits of one more
   * rate show in a queue of 100 ms by then.
   */
  probeMs: 3000,
  /** Pause after a change up, in milliseconds: its own packets have been acknowledged by then. */
  settleMs: 500,
  /**
   * Wait for a probe after a change down, in milliseconds; it doubles with each failure, to the
   * most.
   */
  waitMs: 4000,
  mostWaitMs: 64_000,
  /** Time after a probe in which a change down counts as its failure, in milliseconds. */
  provenMs: 10_000,
  /**
   * Share of the path's load that is left after a change down. At most this much stays (three
   * changes from 128 to 16 kb/s), and at least the next (from 128 and 96 kb/s to 32). Between them
   * the wait decides: it grows with the excess over the path's capacity.
   */
  downShare: 0.6,
  leastShare: 0.34,
  /**
   * Pause after a change down, in milliseconds: the smoothed round trip shows its effect by then.
   */
  holdMs: 1000,
  /**
   * Further growth of the round trip, in milliseconds, that causes the next change down at once.
   */
  worseMs: 60,
  /**
   * Time for which a path counts as narrow after a change down, in milliseconds. By then a queue of
   * a second is empty, and clients have reported its loss, which they count over 5 s.
   */
  suffersMs: 7000,
  /**
   * Share of a loss that, if left at a lower rate, shows that the rate isn't its cause; the loss is
   * tolerated then. It is well below 1 because a window judged by its loss has more of it than
   * most. The judgement comes after the time below, in milliseconds: 66 packets.
   */
  curedShare: 1 / 3,
  doubtMs: 4000,
  /** Time for which a loss is tolerated once it is less, in milliseconds. */
  toleranceMs: 60_000,
  /**
   * Time after a failed probe from which the round trip is the path's own, in milliseconds: by then
   * the queue is empty.
   */
  drainedMs: 2000,
  /** Share of that round trip below which the path is a different one. */
  shorterShare: 0.75,
  /** Least shortening of the round trip, in milliseconds: less is a measuring error. */
  shorterMs: 10,
  /** Share of an estimate that is used: the rest carries acknowledgements and messages. */
  carriedShare: 0.9,
});
