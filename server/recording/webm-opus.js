import { GRANULE_RATE, opusHead } from './ogg-opus.js';

/** Identifiers of the written elements (RFC 9559, section 5, and RFC 8794, section 11). */
const Id = Object.freeze({
  void: 0xec,
  ebml: 0x1a45dfa3,
  ebmlVersion: 0x4286,
  ebmlReadVersion: 0x42f7,
  ebmlMaxIdLength: 0x42f2,
  ebmlMaxSizeLength: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  title: 0x7ba9,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  flagLacing: 0x9c,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  codecDelay: 0x56aa,
  seekPreRoll: 0x56bb,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  cues: 0x1c53bb6b,
  cuePoint: 0xbb,
  cueTime: 0xb3,
  cueTrackPositions: 0xb7,
  cueTrack: 0xf7,
  cueClusterPosition: 0xf1,
});

/** Size of an element with an unknown end (RFC 8794, section 6.2), in eight bytes. */
const UNKNOWN_SIZE = Uint8Array.of(0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);

/** Nanoseconds per unit of time: timestamps are in milliseconds. */
const TIMESTAMP_SCALE = 1_000_000;

/**
 * Sound to decode before a place for it to sound right, in nanoseconds (RFC 7845, section 4.6: 80
 * ms).
 */
const SEEK_PRE_ROLL_NS = 80_000_000;

/** Default sound in a cluster, in samples of GRANULE_RATE. */
const CLUSTER_SAMPLES = GRANULE_RATE;

/**
 * Maximum length of a cluster, in samples: a block's time in it is a signed 16-bit number of
 * milliseconds.
 */
const MAX_CLUSTER_SAMPLES = 30 * GRANULE_RATE;

/** Track of a block, and its flags: decoding may start at each Opus packet. */
const TRACK = 1;
const KEYFRAME = 0x80;

/** Bytes of a block before its packet: identifier, size in four bytes, track, time and flags. */
const BLOCK_HEADER_BYTES = 1 + 4 + 4;

const FIRST_BODY_BYTES = 4096;

const utf8 = new TextEncoder();

/**
 * Writes one Opus stream as WebM, in whole clusters, so that the file is playable at any time. The
 * size of the segment stays open, so it may go on for ever.
 */
export class WebmOpus {
  #write;
  #clusterSamples;
  #samples = 0;
  #clusterStart = 0;
  #body = new Uint8Array(FIRST_BODY_BYTES);
  #length = 0;
  #ended = false;

  /**
   * @param {object} options
   * @param {number} options.preSkip samples of GRANULE_RATE that players drop at the beginning
   * @param {number} options.sampleRate  of the encoder's input, in Hz
   * @param {number} [options.channels]  1 or 2, for decoders; single packets may differ
   * @param {string} [options.title]
   * @param {number} [options.samples] total length, if known, in samples of GRANULE_RATE with the
   *   pre-skip
   * @param {number} [options.clusterSamples] sound in a cluster, at most 30 s; readers wait for
   *   whole clusters
   * @param {number} [options.padding]  in bytes, at the header's end
   * @param {(part: Uint8Array) => void} options.write receives a new array each time: the header at
   *   once, then each cluster
   */
  constructor({
    preSkip,
    sampleRate,
    channels = 1,
    title,
    samples,
    clusterSamples = CLUSTER_SAMPLES,
    padding = 0,
    write,
  }) {
    this.#write = write;
    this.#clusterSamples = Math.min(clusterSamples, MAX_CLUSTER_SAMPLES);
    const segment = [idBytes(Id.segment), UNKNOWN_SIZE];
    const head = [
      ebmlHeader(),
      ...segment,
      info(title, samples),
      tracks(preSkip, sampleRate, channels),
    ];
    if (padding > 0) head.push(element(Id.void, new Uint8Array(padding)));
    write(concat(head));
  }

  /** Length of the stream, in samples of GRANULE_RATE, including the pre-skip. */
  get samples() {
    return this.#samples;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start of one whole Opus packet
   * @param {number} length at most 1 275 bytes
   * @param {number} samples its duration at GRANULE_RATE
   */
  put(bytes, start, length, samples) {
    if (this.#ended) return;
    if (this.#samples - this.#clusterStart >= this.#clusterSamples) this.#flush();
    this.#reserve(BLOCK_HEADER_BYTES + length);
    const body = this.#body;
    const time = Math.round(((this.#samples - this.#clusterStart) * 1000) / GRANULE_RATE);
    let at = this.#length;
    body[at++] = Id.simpleBlock;
    at = putSize(body, at, 4 + length);
    body[at++] = 0x80 | TRACK;
    body[at++] = time >> 8;
    body[at++] = time & 0xff;
    body[at++] = KEYFRAME;
    for (let i = 0; i < length; i++) body[at + i] = bytes[start + i];
    this.#length = at + length;
    this.#samples += samples;
  }

  /** Writes the last cluster. Idempotent. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    this.#flush();
  }

  /** @param {number} bytes  to be added */
  #reserve(bytes) {
    if (this.#length + bytes <= this.#body.length) return;
    const grown = new Uint8Array(Math.max(2 * this.#body.length, this.#length + bytes));
    grown.set(this.#body.subarray(0, this.#length));
    this.#body = grown;
  }

  #flush() {
    if (this.#length === 0) return;
    const timestamp = unsigned(
      Id.timestamp,
      Math.round((this.#clusterStart * 1000) / GRANULE_RATE),
    );
    this.#write(element(Id.cluster, timestamp, this.#body.subarray(0, this.#length)));
    this.#length = 0;
    this.#clusterStart = this.#samples;
  }
}

/**
 * Makes the index of a file with known parts (RFC 9559, section 5.1.5), for the place between the
 * header and the first cluster.
 * @param {number} headBytes  of the header that WebmOpus wrote
 * @param {{ bytes: number, samples: number }[]} clusters  samples: of GRANULE_RATE before it
 * @returns {Uint8Array}
 */
export function cuesOf(headBytes, clusters) {
  // Cluster positions count from the end of the segment's size field.
  const head = headBytes - ebmlHeader().length - idBytes(Id.segment).length - UNKNOWN_SIZE.length;
  const write = (/** @type {number} */ first) => {
    let at = first;
    const points = clusters.map(({ bytes, samples }) => {
      const position = element(
        Id.cueTrackPositions,
        unsigned(Id.cueTrack, TRACK),
        fixed(Id.cueClusterPosition, at),
      );
      at += bytes;
      return element(
        Id.cuePoint,
        unsigned(Id.cueTime, Math.round((samples * 1000) / GRANULE_RATE)),
        position,
      );
    });
    return element(Id.cues, ...points);
  };
  return write(head + write(0).length);
}

function ebmlHeader() {
  return element(
    Id.ebml,
    unsigned(Id.ebmlVersion, 1),
    unsigned(Id.ebmlReadVersion, 1),
    unsigned(Id.ebmlMaxIdLength, 4),
    unsigned(Id.ebmlMaxSizeLength, 8),
    element(Id.docType, utf8.encode('webm')),
    unsigned(Id.docTypeVersion, 4),
    unsigned(Id.docTypeReadVersion, 2),
  );
}

/** @param {string | undefined} title @param {number | undefined} samples */
function info(title, samples) {
  const app = utf8.encode('aloud');
  const parts = [
    unsigned(Id.timestampScale, TIMESTAMP_SCALE),
    element(Id.muxingApp, app),
    element(Id.writingApp, app),
  ];
  if (samples !== undefined) parts.push(float(Id.duration, (samples * 1000) / GRANULE_RATE));
  if (title !== undefined) parts.push(element(Id.title, utf8.encode(title)));
  return element(Id.info, ...parts);
}

/** @param {number} preSkip @param {number} sampleRate @param {number} channels */
function tracks(preSkip, sampleRate, channels) {
  return element(
    Id.tracks,
    element(
      Id.trackEntry,
      unsigned(Id.trackNumber, TRACK),
      unsigned(Id.trackUid, TRACK),
      unsigned(Id.trackType, 2),
      unsigned(Id.flagLacing, 0),
      element(Id.codecId, utf8.encode('A_OPUS')),
      element(Id.codecPrivate, opusHead(preSkip, sampleRate, channels)),
      unsigned(Id.codecDelay, Math.round((preSkip * 1e9) / GRANULE_RATE)),
      unsigned(Id.seekPreRoll, SEEK_PRE_ROLL_NS),
      element(Id.audio, float(Id.samplingFrequency, GRANULE_RATE), unsigned(Id.channels, channels)),
    ),
  );
}

/** @param {number} id @param {Uint8Array[]} parts */
function element(id, ...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  // A single byte halves the index.
  const size = length < 0x7f ? Uint8Array.of(0x80 | length) : new Uint8Array(4);
  if (size.length > 1) putSize(size, 0, length);
  return concat([idBytes(id), size, ...parts]);
}

/** @param {number} id @param {number} value 0 to 2^53 − 1 */
function unsigned(id, value) {
  const bytes = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256))
    bytes.unshift(rest % 256);
  return element(id, Uint8Array.from(bytes));
}

/** @param {number} id @param {number} value  0 to 2^53 − 1, always in eight bytes */
function fixed(id, value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return element(id, bytes);
}

/** @param {number} id @param {number} value */
function float(id, value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, bytes);
}

/** @param {number} id  including its length marker, as the RFC's tables list it */
function idBytes(id) {
  const bytes = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

/**
 * Writes a size in four bytes (RFC 8794, section 4).
 * @param {Uint8Array} out
 * @param {number} at
 * @param {number} size below 2^28 − 1
 * @returns {number} position after it
 */
function putSize(out, at, size) {
  out[at] = 0x10 | (size >>> 24);
  out[at + 1] = size >>> 16;
  out[at + 2] = size >>> 8;
  out[at + 3] = size;
  return at + 4;
}

/** @param {Uint8Array[]} parts */
function concat(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
