/**
 * The length of a block of the histogram, in milliseconds. The oldest block is forgotten as one.
 */
const BLOCK_MS = 2500;

/** The number of blocks: 20 seconds are remembered. */
const BLOCKS = 8;

/** How many packets may be late without moving the need, however few there were. */
const FEW = 2;

/**
 * The share of the allowed late frames that the estimate uses up; the rest is headroom for sudden
 * jitter.
 */
const AIM = 0.75;

/**
 * The share of a silent sender's packets that may be late: they are too few to tell of rare
 * lateness.
 */
const QUIET_SHARE = 0.1;

/** The share of all frames that may miss a repetition which would have repaired them. */
const UNMENDED_SHARE = 0.0002;

/**
 * A need beyond LONG_MS holds only while it has a reason: packets that were late by REASON_SHARE of
 * it, within the last RECENT_MS milliseconds, in which RECENT_PACKETS came at least, or in two
 * blocks between which there is one without. They are kept in RECENT_SLOTS parts. What held up more
 * once is over; what comes again isn't.
 */
const LONG_MS = 60;
const REASON_SHARE = 2 / 3;
const RECENT_MS = 2500;
const RECENT_PACKETS = 25;
const RECENT_SLOTS = 5;

/** How many packets in a row that are later than the need are taken for a longer way. */
const STEP_PACKETS = 3;

/** The time without late packets after which a stall counts as one late packet, in milliseconds. */
const FORGET_MS = BLOCK_MS * BLOCKS;

/**
 * A stall that makes packets later than this, in milliseconds, counts as one late packet where
 * nothing near it is remembered, even if others were late. Shorter ones come again on Wi-Fi: the
 * traces `wifi` and `stalls` of `node bench/delay-control.js` would miss the target.
 */
const LONE_STALL_MS = 160;

/** How long a step is believed before there are enough packets to tell, in milliseconds. */
const STEP_MS = 2000;

/**
 * How far the least lateness may exceed the round trip, in milliseconds: beyond it the sender's
 * clock is wrong.
 */
const CLOCK_TOLERANCE_MS = 60;

/**
 * The lateness of one speaker's packets (arrival less the end of the frame on the sample clock) as
 * a histogram over the last 20 seconds with bins of 1 ms: bin i counts those that a server-side
 * delay of i ms covers and one of i − 1 ms doesn't; bin 0 those that came before their frame's end;
 * the last bin those beyond the cap. A stall, after which packets come all at once, counts as one
 * late packet, unless there are others, and a long need is kept for less: a delay for what is over
 * is of no use. Adding one allocates nothing. `node bench/delay-control.js` shows what its
 * constants give.
 */
export class Lateness {
  #capMs;
  #drainMs;
  #share;
  #bins;
  /** Block after block of #bins counts. */
  #blocks;
  #totals;
  /** The packets with sound of each block. */
  #soundingBlocks = new Uint32Array(BLOCKS);
  #sounding = 0;
  #block = 0;
  #blockEndMs = -Infinity;
  #count = 0;
  /** The packets later than needMs, without those beyond the cap. */
  #above = 0;
  #run = 0;
  #runMost = 0;
  #previousMs = -Infinity;
  /** When a packet was later than needed last, and whether those of its stall count as one. */
  #lateMs = -Infinity;
  #isForgiven = false;
  #stepMs = 0;
  #stepUntilMs = -Infinity;
  #least = Infinity;
  #frameMs;
  /** The latest bin of each part of the last seconds, and its packets, RECENT_PACKETS at most. */
  #recentBins = new Uint16Array(RECENT_SLOTS);
  #recentCounts = new Uint16Array(RECENT_SLOTS);
  /** The latest bin of each block. */
  #latestBins = new Uint16Array(BLOCKS);
  #slot = -Infinity;
  /** The share of frames that need the first repetition, and the second. */
  #repetitions = [0, 0];

  /**
   * @param {object} options
   * @param {number} options.frameMs
   * @param {number} options.maxMs  the cap, a whole number: no delay covers what is later
   * @param {number} options.targetPercent the share of the frames that arrive which shall be in
   *   time
   */
  constructor({ frameMs, maxMs, targetPercent }) {
    this.#capMs = maxMs;
    this.#frameMs = frameMs;
    this.#drainMs = frameMs / 2;
    this.#share = AIM * (1 - targetPercent / 100);
    this.#bins = maxMs + 2;
    this.#blocks = new Uint16Array(this.#bins * BLOCKS);
    this.#totals = new Uint32Array(this.#bins);
    /** The smallest delay that keeps this speaker at the target, in whole milliseconds. */
    this.needMs = 0;
    /** Whether waiting for this speaker is of no use: the clock is wrong, or the way too long. */
    this.excluded = false;
  }

  /**
   * @param {number} latenessMs  of a frame's own packet
   * @param {number} nowMs  on the monotonic clock
   * @param {boolean} [sounding]  whether there was anything to be heard in it
   */
  add(latenessMs, nowMs, sounding = true) {
    if (nowMs >= this.#blockEndMs) this.#turn(nowMs);
    const bin = !(latenessMs > 0)
      ? 0
      : latenessMs > this.#capMs
        ? this.#capMs + 1
        : Math.ceil(latenessMs);
    const drains = latenessMs < this.#previousMs - this.#drainMs;
    this.#noteRecent(bin, nowMs);
    if (bin > this.needMs) {
      if (!drains) {
        this.#isForgiven =
          nowMs - this.#lateMs > FORGET_MS ||
          (bin > LONE_STALL_MS && bin * REASON_SHARE > this.#latestBin);
        this.#lateMs = nowMs;
      } else if (this.#isForgiven) {
        this.#previousMs = latenessMs;
        return;
      }
    }
    if (bin > this.#latestBins[this.#block]) this.#latestBins[this.#block] = bin;
    const at = this.#block * this.#bins + bin;
    // A flood's 65 536th packet in one bin of one block is as good as not seen.
    if (this.#blocks[at] === 0xffff) return;
    this.#blocks[at] += 1;
    this.#totals[bin] += 1;
    this.#count += 1;
    if (sounding) {
      this.#soundingBlocks[this.#block] += 1;
      this.#sounding += 1;
    }
    if (bin > this.needMs && bin <= this.#capMs) {
      this.#above += 1;
      this.#step(bin, drains, nowMs);
      if (this.#above > this.#allowed) this.#measure(nowMs);
    } else {
      this.#run = 0;
    }
    this.#previousMs = latenessMs;
  }

  /** @param {number} bin @param {number} nowMs */
  #noteRecent(bin, nowMs) {
    const slot = Math.floor((nowMs * RECENT_SLOTS) / RECENT_MS);
    for (let old = Math.min(slot - this.#slot, RECENT_SLOTS); old > 0; old--) {
      const at = (slot - old + 1 + RECENT_SLOTS) % RECENT_SLOTS;
      this.#recentBins[at] = 0;
      this.#recentCounts[at] = 0;
    }
    if (slot > this.#slot) this.#slot = slot;
    const at = this.#slot % RECENT_SLOTS;
    if (bin > this.#recentBins[at]) this.#recentBins[at] = bin;
    if (this.#recentCounts[at] < RECENT_PACKETS) this.#recentCounts[at] += 1;
  }

  /**
   * The need that packets give reason for, in whole milliseconds: Infinity where the recent ones
   * were too few.
   */
  get #longestMs() {
    let [most, count] = [0, 0];
    for (let i = 0; i < RECENT_SLOTS; i++) {
      count += this.#recentCounts[i];
      if (this.#recentBins[i] > most) most = this.#recentBins[i];
    }
    if (count < RECENT_PACKETS) return Infinity;
    return Math.max(LONG_MS, Math.ceil(Math.max(most, this.#repeatedBin) / REASON_SHARE));
  }

  /** The latest bin of all that is remembered. */
  get #latestBin() {
    let most = 0;
    for (let i = 0; i < BLOCKS; i++) if (this.#latestBins[i] > most) most = this.#latestBins[i];
    return most;
  }

  /** The latest bin that was reached again, after a block in which nothing came near it. */
  get #repeatedBin() {
    const bins = this.#latestBins;
    let most = 0;
    for (let first = 1; first < BLOCKS; first++) {
      const before = bins[(this.#block + first) % BLOCKS];
      let between = before;
      for (let i = first + 1; i <= BLOCKS; i++) {
        const bin = bins[(this.#block + i) % BLOCKS];
        const twice = Math.min(before, bin);
        if (twice > most && between < twice * REASON_SHARE) most = twice;
        if (bin < between) between = bin;
      }
    }
    return most;
  }

  /** Forgets all packets, as what held them up is over. */
  forget() {
    this.#blocks.fill(0);
    this.#totals.fill(0);
    this.#soundingBlocks.fill(0);
    this.#recentBins.fill(0);
    this.#recentCounts.fill(0);
    this.#latestBins.fill(0);
    this.#sounding = 0;
    this.#count = 0;
    this.#run = 0;
    this.#stepUntilMs = -Infinity;
    this.#lateMs = -Infinity;
    this.#measure(-Infinity);
  }

  /** How many of the remembered packets may be later than needMs. */
  get #allowed() {
    const share = this.#sounding > 0 ? this.#share : QUIET_SHARE;
    return Math.max(FEW, Math.floor((this.#count - this.#totals[this.#capMs + 1]) * share));
  }

  /**
   * Plans for frames that redundancy repairs: they come one frame later, or two. How long to wait
   * for them follows from how often that happens and from the lateness of the packets that come. A
   * mix must have nearly all of them, since what it misses is lost beside what never came.
   * @param {number} first  the share of all frames that needs a repetition
   * @param {number} second  the share that needs the second repetition, since the first is lost too
   */
  planRepetitions(first, second) {
    this.#repetitions[0] = first;
    this.#repetitions[1] = second;
  }

  /**
   * @param {number} longest  see #longestMs
   * @returns {number} the smallest delay that has repetitions in time, in whole milliseconds
   */
  #repetitionsMs(longest) {
    let need = 0;
    for (let i = 0; i < this.#repetitions.length; i++) {
      const lateShare = UNMENDED_SHARE / this.#repetitions[i];
      if (!(lateShare < 1) || this.#count === 0) continue;
      const allowed = Math.floor((this.#count - this.#totals[this.#capMs + 1]) * lateShare);
      let bin = this.#capMs;
      for (let above = 0; bin > 0 && above + this.#totals[bin] <= allowed; bin--)
        above += this.#totals[bin];
      need = Math.max(need, Math.min(bin, longest) + Math.ceil((i + 1) * this.#frameMs));
    }
    return Math.min(need, this.#capMs);
  }

  /**
   * Tells a longer way from a stall. After a stall packets come all at once, each earlier by a
   * frame than the one before it: that drains by itself. Packets that stay late come by a longer
   * way, which doesn't have to fill the histogram first.
   * @param {number} bin
   * @param {boolean} drains
   * @param {number} nowMs
   */
  #step(bin, drains, nowMs) {
    this.#run = drains ? 0 : this.#run + 1;
    this.#runMost = this.#run <= 1 ? bin : Math.max(bin, this.#runMost);
    if (this.#run < STEP_PACKETS) return;
    this.#run = 0;
    this.#stepMs = this.#runMost;
    this.#stepUntilMs = nowMs + STEP_MS;
    this.#measure(nowMs);
  }

  /** Forgets the blocks that are too old. @param {number} nowMs */
  #turn(nowMs) {
    const passed = Math.ceil((nowMs - this.#blockEndMs) / BLOCK_MS);
    const blocks = passed > BLOCKS ? BLOCKS : Math.max(1, passed);
    for (let i = 0; i < blocks; i++) {
      this.#block = (this.#block + 1) % BLOCKS;
      const from = this.#block * this.#bins;
      for (let bin = 0; bin < this.#bins; bin++) {
        const old = this.#blocks[from + bin];
        this.#totals[bin] -= old;
        this.#count -= old;
      }
      this.#sounding -= this.#soundingBlocks[this.#block];
      this.#soundingBlocks[this.#block] = 0;
      this.#blocks.fill(0, from, from + this.#bins);
      this.#latestBins[this.#block] = 0;
    }
    this.#blockEndMs = nowMs + BLOCK_MS;
    this.#measure(nowMs);
  }

  /** @param {number} nowMs */
  #measure(nowMs) {
    const allowed = this.#allowed;
    let bin = this.#capMs;
    let above = 0;
    while (bin > 0 && above + this.#totals[bin] <= allowed) above += this.#totals[bin--];
    const longest = this.#longestMs;
    while (bin > longest) above += this.#totals[bin--];
    const step = nowMs < this.#stepUntilMs ? this.#stepMs : 0;
    const least = Math.max(step, this.#repetitionsMs(longest));
    while (bin < least) above -= this.#totals[++bin];
    this.needMs = bin;
    this.#above = above;
    let first = 0;
    while (first < this.#bins && this.#totals[first] === 0) first += 1;
    this.#least = first < this.#bins ? first : Infinity;
  }

  /**
   * Computes the need anew, and whether this speaker is waited for: not when more than half of its
   * frames are beyond the cap, and not when the earliest of them took longer than its round trip,
   * so that its clock must be wrong, or it holds its packets back.
   *
   * @param {number} nowMs
   * @param {number | null} roundTripMs null where it isn't known
   */
  review(nowMs, roundTripMs) {
    if (nowMs >= this.#blockEndMs && this.#count > 0) this.#turn(nowMs);
    else this.#measure(nowMs);
    const beyond = 2 * this.#totals[this.#capMs + 1] > this.#count;
    const impossible =
      roundTripMs !== null && this.#count > 0 && this.#least > roundTripMs + CLOCK_TOLERANCE_MS;
    this.excluded = beyond || impossible;
  }

  /** How many packets are remembered. */
  get count() {
    return this.#count;
  }

  /**
   * @param {number} share 0 to 1
   * @returns {number | null} the quantile of the lateness, in whole milliseconds; one more than the
   *   cap for what is beyond it; null when nothing is remembered
   */
  quantile(share) {
    if (this.#count === 0) return null;
    let bin = 0;
    for (
      let sum = this.#totals[0];
      sum < share * this.#count && bin < this.#bins - 1;
      sum += this.#totals[bin]
    )
      bin += 1;
    return bin;
  }

  /**
   * How many frames came within each of the given limits, and not within the one before it.
   * @param {ReadonlyArray<number>} uptoMs rising
   * @returns {number[]} one more than there are limits: the last is the rest
   */
  histogram(uptoMs) {
    const counts = new Array(uptoMs.length + 1).fill(0);
    let group = 0;
    for (let bin = 0; bin < this.#bins; bin++) {
      while (group < uptoMs.length && bin > uptoMs[group]) group += 1;
      // Lateness beyond the cap is known by its lower limit alone.
      counts[bin > this.#capMs ? uptoMs.length : group] += this.#totals[bin];
    }
    return counts;
  }
}
