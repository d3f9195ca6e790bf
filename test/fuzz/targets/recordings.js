/** @import { Target } from '../target.js' */

import { readChapters } from '../../../public/recordings/chapter-list.js';
import { readMoment } from '../../../public/recordings/moments.js';
import {
  joinPackets,
  readSegment,
  readSegmentStream,
  SEGMENT_PACKETS,
  writeSegment,
} from '../../../public/shared/wire/segment.js';
import { OggOpus } from '../../../server/recording/ogg-opus.js';
import { OggError, OggOpusReader } from '../../../server/recording/ogg-reader.js';
import { bytesOf, check } from '../target.js';

/** @param {number} bytes */
const segmentOf = (bytes) =>
  joinPackets(
    Array.from({ length: SEGMENT_PACKETS }, (_, i) =>
      new Uint8Array(bytes + (i % 5)).fill(31 << 3, 0, 1),
    ),
  );

/** A read segment is whole, and is written as it was. @type {Target} */
export const segmentStreams = {
  name: 'segment-streams',
  cost: 10,
  valid: [
    writeSegment({ number: 0, epoch: 1, rate: 16_000 }, segmentOf(1)),
    writeSegment({ number: 70_000, epoch: 9, rate: 128_000 }, segmentOf(12)),
  ],
  run(input) {
    const read = readSegmentStream(input);
    if (!read) return;
    let packets = 0;
    check(
      readSegment(read.segment, () => void packets++) && packets === SEGMENT_PACKETS,
      'a segment has all of its packets',
    );
    check(
      Buffer.compare(writeSegment(read, read.segment), input) === 0,
      'a segment is written as it was read',
    );
  },
};

/** Addresses and chapters give moments that are numbers. @type {Target} */
export const moments = {
  name: 'moments',
  cost: 2,
  valid: [
    bytesOf('#t=1:02:03.5'),
    bytesOf('#x&t=npt:7,9'),
    bytesOf('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v A>A</v>\n'),
  ],
  run(input) {
    const text = Buffer.from(input).toString('latin1');
    const moment = readMoment(text);
    check(moment === null || (Number.isFinite(moment) && moment >= 0), 'a moment is a number');
    for (const { from, to } of readChapters(text))
      check(Number.isFinite(from) && Number.isFinite(to), 'chapters have moments');
  },
};

/** An Ogg file of some packets. */
function ogg() {
  /** @type {Uint8Array[]} */
  const pages = [];
  const file = new OggOpus({
    serial: 1,
    preSkip: 3840,
    sampleRate: 48_000,
    tags: { TITLE: 'x' },
    write: (page) => void pages.push(page),
  });
  for (let i = 0; i < 60; i++)
    file.put(new Uint8Array(1 + ((i * 7) % 20)).fill(31 << 3, 0, 1), 0, 1 + ((i * 7) % 20), 960);
  file.end();
  return new Uint8Array(Buffer.concat(pages));
}

/** Files on the disk are read to their end, or refused, in bounded memory. @type {Target} */
export const oggFiles = {
  name: 'ogg-files',
  cost: 10,
  valid: [ogg(), ogg().subarray(0, 500)],
  async run(input) {
    const read = async (
      /** @type {Uint8Array} */ into,
      /** @type {number} */ at,
      /** @type {number} */ length,
      /** @type {number} */ position,
    ) => {
      const part = input.subarray(position, position + length);
      into.set(part, at);
      return { bytesRead: part.length };
    };
    const reader = new OggOpusReader(/** @type {any} */ ({ read }));
    let bytes = 0;
    try {
      for (let page = await reader.next(); page !== null; page = await reader.next()) {
        for (const packet of page.packets) bytes += packet.length;
      }
    } catch (error) {
      check(error instanceof OggError, 'what is no Ogg is refused as such');
    }
    check(bytes <= input.length, 'packets are of the file');
  },
};
