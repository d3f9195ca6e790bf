/** Length of a block of the histogram, in milliseconds. A whole block is forgotten at a time. */
const BLOCK_MS = 2500;

/** The number of blocks: 20 seconds are remembered. */
const BLOCKS = 8;

/**
 * Lateness up to which bins are narrow, in milliseconds, and their number in a millisecond. Beyond
 * it a bin has 1 ms: jitter is larger there.
 */
const NARROW_MS = 16;
const NARROW_PER_MS = 4;
const NARROW_BINS = NARROW_MS * NARROW_PER_MS;

/** Number of late packets that never change the need, however few packets there were. */
const FEW = 2;

/**
 * Share of the allowed late frames that the estimate uses; the rest is headroom for sudden jitter.
 */
const AIM = 0.75;

/**
 * Share of a silent sender's packets that may be late: there are too few to measure rare lateness.
 */
const QUIET_SHARE = 0.1;

/** Share of all frames that may miss the repetition that would have repaired them. */
const UNMENDED_SHARE = 0.0002;

/**
 * Conditions to keep a need beyond LONG_MS: recent or repeated packets were late by at least
 * REASON_SHARE of it. Recent means the last RECENT_MS milliseconds, in RECENT_SLOTS parts, if at
 * least RECENT_PACKETS came. Repeated means two blocks with a block without such lateness between
 * them. A delay for a stall that came only once is of no use.
 */
const LONG_MS = 60;
const REASON_SHARE = 2 / 3;
const RECENT_MS = 2500;
const RECENT_PACKETS = 25;
const RECENT_SLOTS = 5;

/** Number of packets in a row beyond the need that count as a longer path. */
const STEP_PACKETS = 3;

/** Time without late packets after which a stall counts as one late packet, in milliseconds. */
const FORGET_MS = BLOCK_MS * BLOCKS;

/**
 * Lateness beyond which a stall counts as one late packet if nothing similar is remembered, even
 * after other late packets, in milliseconds. Shorter stalls recur on Wi-Fi: the traces `wifi` and
 * `stalls` of `node bench/delay-control.js` would miss the target.
 */
const LONE_STALL_MS = 160;

/** Time for which a step counts before there are enough packets to judge, in milliseconds. */
const STEP_MS = 2000;

/**
 * Excess of the least lateness over the round trip beyond which the sender's clock is wrong, in
 * milliseconds.
 */
const CLOCK_TOLERANCE_MS = 60;

/**
 * First bin that covers a lateness.
 * @param {number} ms 0 and more
 */
const binOf = (ms) =>
  ms > NARROW_MS ? NARROW_BINS + Math.ceil(ms - NARROW_MS) : Math.ceil(ms * NARROW_PER_MS);

/** Longest lateness of a bin, in milliseconds. @param {number} bin */
const msOf = (bin) => (bin > NARROW_BINS ? NARROW_MS + bin - NARROW_BINS : bin / NARROW_PER_MS);

/**
 * Histogram of the lateness of one speaker's packets: arrival minus the end of the frame on the
 * sample clock. It covers the last 20 seconds, in bins of 0.25 ms up to 16 ms, and of 1 ms beyond.
 *
 * A bin counts the packets that a server-side delay of its longest lateness covers, and that of the
 * bin before doesn't. Bin 0 has the packets that came before their frame's end, the last bin the
 * packets beyond the cap.
 *
 * After a stall packets come all at once. They count as one late packet if no others were late. A
 * long need is dropped sooner, because a delay for a past stall is of no use. Adding a packet
 * allocates nothing. `node bench/delay-control.js` shows the effect of the constants.
 */
export class Lateness {
  #capMs;
  #capBin;
  #catchUpMs;
  #share;
  #bins;
  /** Counts of all bins, block after block. */
  #blocks;
  #totals;
  /** Number of packets with sound in each block. */
  #soundingBlocks = new Uint32Array(BLOCKS);
  #sounding = 0;
  #block = 0;
  #blockEndMs = -Infinity;
  #count = 0;
  /** Bin of needMs. */
  #need = 0;
  /** Number of packets later than needMs, without the packets beyond the cap. */
  #above = 0;
  #run = 0;
  #runLongest = 0;
  #previousMs = -Infinity;
  /**
   * Time of the last packet that was later than needed, and whether its stall counts as one packet.
   */
  #lateMs = -Infinity;
  #isForgiven = false;
  #stepBin = 0;
  #stepUntilMs = -Infinity;
  #least = Infinity;
  #frameMs;
  /** Latest bin of each part of the last seconds, and its packets, RECENT_PACKETS at most. */
  #recentBins = new Uint16Array(RECENT_SLOTS);
  #recentCounts = new Uint16Array(RECENT_SLOTS);
  /** The latest bin of each block. */
  #latestBins = new Uint16Array(BLOCKS);
  #slot = -Infinity;
  /** Shares of frames that need the first repetition, and the second. */
  #repetitions = [0, 0];

  /**
   * @param {object} options
   * @param {number} options.frameMs
   * @param {number} options.maxMs the cap, a whole number: no delay covers later packets
   * @param {number} options.targetPercent share of the arriving frames to have in time
   */
  constructor({ frameMs, maxMs, targetPercent }) {
    this.#capMs = maxMs;
    this.#frameMs = frameMs;
    this.#catchUpMs = frameMs / 2;
    this.#share = AIM * (1 - targetPercent / 100);
    this.#capBin = binOf(maxMs);
    this.#bins = this.#capBin + 2;
    this.#blocks = new Uint16Array(this.#bins * BLOCKS);
    this.#totals = new Uint32Array(this.#bins);
    /** The smallest delay that keeps this speaker at the target, in milliseconds: a bin's. */
    this.needMs = 0;
    /**
     * True when waiting for this speaker is of no use: its clock is wrong, or its path too long.
     */
    this.excluded = false;
  }

  /**
   * @param {number} latenessMs of a frame's own packet
   * @param {number} nowMs on the monotonic clock
   * @param {boolean} [sounding] true when it has sound
   */
  add(latenessMs, nowMs, sounding = true) {
    if (nowMs >= this.#blockEndMs) this.#turn(nowMs);
    const bin = this.#binOf(latenessMs);
    const catchesUp = latenessMs < this.#previousMs - this.#catchUpMs;
    this.#previousMs = latenessMs;
    this.#noteRecent(bin, nowMs);
    if (bin > this.#need && this.#forgives(bin, catchesUp, nowMs)) return;
    if (bin > this.#latestBins[this.#block]) this.#latestBins[this.#block] = bin;
    const at = this.#block * this.#bins + bin;
    // The 65,536th packet in one bin of one block can only come from a flood.
    if (this.#blocks[at] === 0xffff) return;
    this.#blocks[at] += 1;
    this.#totals[bin] += 1;
    this.#count += 1;
    if (sounding) {
      this.#soundingBlocks[this.#block] += 1;
      this.#sounding += 1;
    }
    if (bin > this.#need && bin <= this.#capBin) {
      this.#above += 1;
      this.#step(bin, catchesUp, nowMs);
      if (this.#above > this.#allowed) this.#measure(nowMs);
    } else {
      this.#run = 0;
    }
  }

  /** @param {number} latenessMs @returns {number} its bin; beyond the cap the last one */
  #binOf(latenessMs) {
    if (!(latenessMs > 0)) return 0;
    return latenessMs > this.#capMs ? this.#capBin + 1 : binOf(latenessMs);
  }

  /**
   * Forgives a rare stall, with all packets that catch up after it.
   * @param {number} bin beyond the need
   * @param {boolean} catchesUp
   * @param {number} nowMs
   * @returns {boolean} true when the packet isn't counted
   */
  #forgives(bin, catchesUp, nowMs) {
    if (catchesUp) return this.#isForgiven;
    const lateMs = msOf(bin);
    this.#isForgiven =
      nowMs - this.#lateMs > FORGET_MS ||
      (lateMs > LONE_STALL_MS && lateMs * REASON_SHARE > this.#latestMs);
    this.#lateMs = nowMs;
    return false;
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
   * Longest need that the packets justify, in whole milliseconds. Infinity after too few recent
   * packets.
   */
  get #longestMs() {
    let [most, count] = [0, 0];
    for (let i = 0; i < RECENT_SLOTS; i++) {
      count += this.#recentCounts[i];
      if (this.#recentBins[i] > most) most = this.#recentBins[i];
    }
    if (count < RECENT_PACKETS) return Infinity;
    return Math.max(LONG_MS, Math.ceil(Math.max(msOf(most), this.#repeatedMs) / REASON_SHARE));
  }

  /** Greatest lateness of all remembered packets. */
  get #latestMs() {
    let most = 0;
    for (let i = 0; i < BLOCKS; i++) if (this.#latestBins[i] > most) most = this.#latestBins[i];
    return msOf(most);
  }

  /** Greatest lateness that was reached again, after a block in which nothing came near it. */
  get #repeatedMs() {
    const bins = this.#latestBins;
    let most = 0;
    for (let first = 1; first < BLOCKS; first++) {
      const before = msOf(bins[(this.#block + first) % BLOCKS]);
      let between = before;
      for (let i = first + 1; i <= BLOCKS; i++) {
        const ms = msOf(bins[(this.#block + i) % BLOCKS]);
        const twice = Math.min(before, ms);
        if (twice > most && between < twice * REASON_SHARE) most = twice;
        if (ms < between) between = ms;
      }
    }
    return most;
  }

  /** Forgets all packets, because the cause of their lateness is over. */
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

  /** Number of remembered packets that may be later than needMs. */
  get #allowed() {
    const share = this.#sounding > 0 ? this.#share : QUIET_SHARE;
    return Math.max(FEW, Math.floor((this.#count - this.#totals[this.#capBin + 1]) * share));
  }

  /**
   * Plans for frames that redundancy repairs one or two frames later. The delay for them follows
   * from their share and from the lateness of all packets. Nearly all must be in time, because a
   * missed repair adds to the frames that never came.
   * @param {number} first share of all frames that needs a repetition
   * @param {number} second share that needs the second repetition, because the first is lost too
   */
  planRepetitions(first, second) {
    this.#repetitions[0] = first;
    this.#repetitions[1] = second;
  }

  /**
   * @param {number} longest see #longestMs
   * @returns {number} smallest delay that has repetitions in time, in milliseconds
   */
  #repetitionsMs(longest) {
    let need = 0;
    for (let i = 0; i < this.#repetitions.length; i++) {
      const lateShare = UNMENDED_SHARE / this.#repetitions[i];
      if (!(lateShare < 1) || this.#count === 0) continue;
      const allowed = Math.floor((this.#count - this.#totals[this.#capBin + 1]) * lateShare);
      let bin = this.#capBin;
      for (let above = 0; bin > 0 && above + this.#totals[bin] <= allowed; bin--)
        above += this.#totals[bin];
      need = Math.max(need, Math.min(msOf(bin), longest) + (i + 1) * this.#frameMs);
    }
    return Math.min(need, this.#capMs);
  }

  /**
   * Tells a longer path from a stall. After a stall packets come all at once, each earlier by a
   * frame than the one before, and need no delay. Packets that stay late come by a longer path,
   * which counts before it fills the histogram.
   * @param {number} bin
   * @param {boolean} catchesUp
   * @param {number} nowMs
   */
  #step(bin, catchesUp, nowMs) {
    this.#run = catchesUp ? 0 : this.#run + 1;
    this.#runLongest = this.#run <= 1 ? bin : Math.max(bin, this.#runLongest);
    if (this.#run < STEP_PACKETS) return;
    this.#run = 0;
    this.#stepBin = this.#runLongest;
    this.#stepUntilMs = nowMs + STEP_MS;
    this.#measure(nowMs);
  }

  /** Forgets old blocks. @param {number} nowMs */
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
    let bin = this.#capBin;
    let above = 0;
    while (bin > 0 && above + this.#totals[bin] <= allowed) above += this.#totals[bin--];
    const longest = this.#longestMs;
    const most = binOf(longest);
    while (bin > most) above += this.#totals[bin--];
    const step = nowMs < this.#stepUntilMs ? this.#stepBin : 0;
    const least = Math.max(step, binOf(this.#repetitionsMs(longest)));
    while (bin < least) above -= this.#totals[++bin];
    this.#need = bin;
    this.needMs = msOf(bin);
    this.#above = above;
    let first = 0;
    while (first < this.#bins && this.#totals[first] === 0) first += 1;
    this.#least = first < this.#bins ? msOf(first) : Infinity;
  }

  /**
   * Recomputes the need, and whether to wait for this speaker. It is excluded when more than half
   * of its frames are beyond the cap. It is also excluded when its earliest frame took longer than
   * the round trip: its clock is wrong, or it holds packets back.
   * @param {number} nowMs
   * @param {number | null} roundTripMs null when unknown
   */
  review(nowMs, roundTripMs) {
    if (nowMs >= this.#blockEndMs && this.#count > 0) this.#turn(nowMs);
    else this.#measure(nowMs);
    const beyond = 2 * this.#totals[this.#capBin + 1] > this.#count;
    const impossible =
      roundTripMs !== null && this.#count > 0 && this.#least > roundTripMs + CLOCK_TOLERANCE_MS;
    this.excluded = beyond || impossible;
  }

  get count() {
    return this.#count;
  }

  /**
   * @param {number} share 0 to 1
   * @returns {number | null} quantile of the lateness, rounded up to whole milliseconds; one more
   *   than the cap beyond it; null without packets
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
    return Math.ceil(msOf(bin));
  }

  /**
   * Counts the frames between each limit and the limit before it.
   * @param {ReadonlyArray<number>} uptoMs rising
   * @returns {number[]} one more than there are limits: the last is the rest
   */
  histogram(uptoMs) {
    const counts = new Array(uptoMs.length + 1).fill(0);
    let group = 0;
    for (let bin = 0; bin < this.#bins; bin++) {
      while (group < uptoMs.length && msOf(bin) > uptoMs[group]) group += 1;
      // Lateness beyond the cap has a lower limit only.
      counts[bin > this.#capBin ? uptoMs.length : group] += this.#totals[bin];
    }
    return counts;
  }
}
