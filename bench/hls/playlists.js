/**
 * The playlists of Low-Latency HLS (draft-pantos-hls-rfc8216bis-16): a rendition is a list of
 * parts, of which several make a segment. A client asks for the playlist that has a certain part,
 * and is answered once it is there (section 6.2.5.2).
 *
 * @typedef {{ durationMs: number, bytes: Buffer }} Part
 * @typedef {{ msn: number, startMs: number, parts: Part[] }} Segment msn: its media sequence
 *   number; startMs: of the sound
 */

/** The parts to a segment. */
export const SEGMENT_PARTS = 5;

/**
 * The segments of a playlist, and those at its end whose parts it has (section 4.4.4.9: the last
 * three target durations).
 */
const KEPT_SEGMENTS = 8;
const LISTED_PARTS = 3;

/** Distance of a client from the end, in parts: three at least (section 4.4.3.8). */
const HOLD_BACK_PARTS = 3;

const seconds = (/** @type {number} */ ms) => (ms / 1000).toFixed(5);

/** One bit rate: what there is of it, and its playlist. */
export class Rendition {
  #partMs;
  /**
   * The date of the sound's first sample, in milliseconds since 1970: by it a player knows what it
   * plays.
   */
  #dateMs;
  /** The last one is being made. @type {Segment[]} */
  #segments = [];
  /** Requests that wait for a part. @type {(() => void)[]} */
  #waiting = [];
  /** @type {Buffer | null} */
  init = null;

  /** @param {{ partMs: number, dateMs: number }} options */
  constructor({ partMs, dateMs }) {
    this.#partMs = partMs;
    this.#dateMs = dateMs;
  }

  /** @param {{ startMs: number, durationMs: number, bytes: Buffer }} part  the next one */
  add({ startMs, durationMs, bytes }) {
    const last = this.#segments.at(-1);
    if (!last || last.parts.length === SEGMENT_PARTS)
      this.#segments.push({ msn: (last?.msn ?? -1) + 1, startMs, parts: [{ durationMs, bytes }] });
    else last.parts.push({ durationMs, bytes });
    if (this.#segments.length > KEPT_SEGMENTS + 1) this.#segments.shift();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The part that comes next. @returns {{ msn: number, part: number }} */
  get next() {
    const last = this.#segments.at(-1);
    if (!last) return { msn: 0, part: 0 };
    return last.parts.length < SEGMENT_PARTS
      ? { msn: last.msn, part: last.parts.length }
      : { msn: last.msn + 1, part: 0 };
  }

  /**
   * True when a part, or without one a whole segment, is there, or was.
   * @param {number} msn
   * @param {number} [part]
   */
  has(msn, part = SEGMENT_PARTS - 1) {
    const { next } = this;
    // A part beyond a segment's last is the next one's first (section 6.2.5.2).
    const [wantedMsn, wantedPart] = part < SEGMENT_PARTS ? [msn, part] : [msn + 1, 0];
    return wantedMsn < next.msn || (wantedMsn === next.msn && wantedPart < next.part);
  }

  /** Waits until a part is there. @param {number} msn @param {number} [part] */
  async reach(msn, part) {
    while (!this.has(msn, part))
      await new Promise((resolve) => void this.#waiting.push(() => resolve(undefined)));
  }

  /**
   * @param {number} msn
   * @param {number} [part]
   * @returns {Buffer | null} the bytes of a part, or of a whole segment; null where there are none
   */
  bytesOf(msn, part) {
    const segment = this.#segments.find((one) => one.msn === msn);
    if (!segment) return null;
    if (part !== undefined) return segment.parts[part]?.bytes ?? null;
    return segment.parts.length === SEGMENT_PARTS
      ? Buffer.concat(segment.parts.map(({ bytes }) => bytes))
      : null;
  }

  /** The media playlist (section 4.4.3). */
  get playlist() {
    const { msn, part } = this.next;
    const target = Math.ceil((SEGMENT_PARTS * this.#partMs) / 1000);
    const lines = [
      '#EXTM3U',
      '#EXT-X-VERSION:9',
      `#EXT-X-TARGETDURATION:${target}`,
      '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,' +
        `PART-HOLD-BACK=${seconds(HOLD_BACK_PARTS * this.#partMs)}`,
      `#EXT-X-PART-INF:PART-TARGET=${seconds(this.#partMs)}`,
      `#EXT-X-MEDIA-SEQUENCE:${this.#segments[0]?.msn ?? 0}`,
      '#EXT-X-MAP:URI="init.mp4"',
    ];
    const listed = msn - LISTED_PARTS;
    for (const segment of this.#segments) {
      lines.push(
        `#EXT-X-PROGRAM-DATE-TIME:${new Date(this.#dateMs + segment.startMs).toISOString()}`,
      );
      if (segment.msn >= listed)
        segment.parts.forEach(({ durationMs }, i) =>
          lines.push(
            `#EXT-X-PART:DURATION=${seconds(durationMs)},` +
              `URI="${segment.msn}.${i}.m4s",INDEPENDENT=YES`,
          ),
        );
      if (segment.parts.length === SEGMENT_PARTS)
        lines.push(
          `#EXTINF:${seconds(segment.parts.reduce((sum, { durationMs }) => sum + durationMs, 0))},`,
          `${segment.msn}.m4s`,
        );
    }
    lines.push(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${msn}.${part}.m4s"`, '');
    return lines.join('\n');
  }
}

/**
 * The multivariant playlist (section 4.4.6).
 * @param {readonly number[]} rates  in bits a second; each one's rendition is at its number
 * @param {number} overheadBps  of the container
 */
export function multivariantPlaylist(rates, overheadBps) {
  const variants = rates.flatMap((rate, i) => [
    `#EXT-X-STREAM-INF:BANDWIDTH=${Math.ceil(1.1 * rate + overheadBps)},` +
      `AVERAGE-BANDWIDTH=${rate + overheadBps},CODECS="opus"`,
    `${i}/index.m3u8`,
  ]);
  return ['#EXTM3U', '#EXT-X-VERSION:9', '#EXT-X-INDEPENDENT-SEGMENTS', ...variants, ''].join('\n');
}
