/** The numbers that the rule `probe` goes by. */
export const PROBE_RULE = Object.freeze({
  /** The rate to begin with, in bits a second: good for a voice, and the most by default. */
  startBps: 64_000,
  /**
   * Loss with a queue above which the rate goes down, in percent: what two repeats still mend
   * (docs/measuring.md).
   */
  lostPercent: 3,
  /**
   * Loss without a queue counts by so many standard deviations above that: what a radio loses comes
   * and goes.
   */
  lostDeviations: 3,
  /**
   * The fewest packets that must have been lost in a window: of 33 in 2 s one is 3 % already, and
   * three by chance at 2 % loss.
   */
  leastLost: 4,
  /** The window of loss, in milliseconds, and the fewest packets that are judged. */
  lossMs: 2000,
  leastSent: 10,
  /**
   * The growth of the round trip above which the way is too narrow, in milliseconds: more than
   * playing out makes up for.
   */
  queueMs: 150,
  /**
   * The same where packets go surely: the buffer lasts longer the sooner less is sent, and nothing
   * is heard of a step too many.
   */
  sureQueueMs: 75,
  /**
   * The wait of the oldest packet under way, beyond a round trip, from which on the way is too
   * narrow, in milliseconds: not less than the stalls of a bad Wi-Fi, of 150 ms
   * (bench/link/profiles.js), which a smoothed round trip hardly shows.
   */
  lateMs: 150,
  /**
   * The same wait where packets arrive meanwhile, each later than the one before, in milliseconds:
   * in a stall none does. Where a path falls from 200 to 40 kb/s, one of 150 ms is there 0.13 s
   * later, when a queue of 300 ms is full and packets are lost.
   */
  risingMs: 75,
  /** The time for which receivers hold acknowledgements, in milliseconds. */
  heldMs: 25,
  /**
   * Time for which a packet may be longer under way than a round trip, in milliseconds: receivers
   * hold acknowledgements for 25.
   */
  ackMs: 40,
  /** The growth at which loss is a queue's: more than a radio link's retries. */
  mildQueueMs: 30,
  /** The growth during a probe that ends it: sooner than what is heard is late. */
  probeQueueMs: 40,
  /**
   * The least round trip is remembered for one to two times this, in milliseconds: a way may become
   * longer.
   */
  memoryMs: 30_000,
  /**
   * How long a probe takes, and a step that is taken back where it was too far, in milliseconds:
   * what one more rate would put into a queue of 100 ms shows in it.
   */
  probeMs: 3000,
  /** Pause after a change up, in milliseconds: its own packets have been acknowledged by then. */
  settleMs: 500,
  /**
   * The wait before a probe after a change down, in milliseconds; it doubles with each failure, to
   * the most.
   */
  waitMs: 4000,
  mostWaitMs: 64_000,
  /**
   * A change down within this after a probe has taken it back, and counts as its failure, in
   * milliseconds.
   */
  provenMs: 10_000,
  /**
   * The share of what the way takes that is left after a change down, at most (three changes from
   * 128 to 16 kb/s) and at least (from 128 and 96 kb/s to 32). Between them the wait decides: it
   * grows by what is sent beyond what the way carries.
   */
  downShare: 0.6,
  leastShare: 0.34,
  /**
   * The pause after a change down, in milliseconds: as long as its effect takes to be seen in the
   * smoothed round trip.
   */
  holdMs: 1000,
  /**
   * The further growth of the round trip, in milliseconds, at which the next change down comes at
   * once.
   */
  worseMs: 60,
  /**
   * How long the way is taken for narrow after a change down, or since it was, in milliseconds: a
   * queue of a second is empty by then, and clients have told of its loss, which they count over 5
   * s.
   */
  suffersMs: 7000,
  /**
   * Loss of which this share is left when less is sent isn't the rate's doing, and is put up with:
   * a window that is judged by its loss has more of it than most. Which it is is judged after this
   * time, in milliseconds: 66 packets.
   */
  curedShare: 1 / 3,
  doubtMs: 4000,
  /** For how long it is put up with, once it is less, in milliseconds. */
  toleranceMs: 60_000,
  /**
   * How long after a probe failed the round trip is taken for the way's own, in milliseconds: by
   * then nothing waits any more.
   */
  drainedMs: 2000,
  /** The round trip's share, of that, below which the way is another one. */
  shorterShare: 0.75,
  /** The least by which it is shorter, in milliseconds: less is a measuring error. */
  shorterMs: 10,
  /** The share of an estimate that is used: what is left carries acknowledgements and messages. */
  carriedShare: 0.9,
});
