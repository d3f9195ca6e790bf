/**
 * Received audio against server-side delay, from write clocks only (thesis, section 4.3). A
 * speaker's packet writes frame w when it arrives. A listener's packet for frame r reads samples
 * [r·n − D, (r+1)·n − D) on arrival. Parts of w that were read before its arrival count as lost.
 *
 * @typedef {object} Arrival
 * @property {string} name   sender of the packet
 * @property {number} frame
 * @property {number} atMs
 */

/**
 * @param {readonly Arrival[]} arrivals in the order of arrival
 * @param {object} options
 * @param {string} options.speaker
 * @param {string} options.listener
 * @param {number} options.from          the first of the speaker's frames that count
 * @param {number} options.to            the first that doesn't any more
 * @param {number} options.delayFrames   D in frames, with a fraction
 * @returns {number} percent of the frames that arrived; NaN when there are none
 */
export function receivedAudio(arrivals, { speaker, listener, from, to, delayFrames }) {
  /** For each frame that the listener has read, the place of that packet in the order. */
  const reads = new Map();
  const writes = new Map();
  arrivals.forEach(({ name, frame }, order) => {
    const places = name === speaker ? writes : name === listener ? reads : null;
    if (places && !places.has(frame)) places.set(frame, order);
  });
  const whole = Math.floor(delayFrames);
  const part = delayFrames - whole;
  let heard = 0;
  let sent = 0;
  for (const [frame, order] of writes) {
    if (frame < from || frame >= to) continue;
    sent += 1;
    // The reads that begin D after this frame: its end is read by the later of the two.
    if (reads.get(frame + whole) > order) heard += 1 - part;
    if (part > 0 && reads.get(frame + whole + 1) > order) heard += part;
  }
  return (100 * heard) / sent;
}
