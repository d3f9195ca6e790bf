/**
 * @import { Call } from './types.js'
 * @import { SoundWriter } from './sound/writers.js'
 */

import {
  clockTime,
  CommandError,
  Exit,
  GONE,
  joinFrom,
  leaveWhenAway,
  numberFrom,
  onInterrupt,
  readCommand,
  roomCommand,
  showProgress,
} from './command-line.js';
import { NoFfmpegError, writeProblem, writeByFfmpeg } from './sound/ffmpeg.js';
import { kindOf, openAnyOut, writerOf } from './sound/writers.js';

/** Longest recording, in seconds: a week. */
const MAX_SECONDS = 7 * 86_400;

/** Most sound that waits for ffmpeg, in bytes: beyond it ffmpeg is too slow. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Kinds of files written without ffmpeg. */
const OWN_KINDS = Object.freeze(['wav', 'ogg', 'raw']);

const NAMES = 'use a name ending in .wav, .opus, .ogg or .raw';

const createCommand = () =>
  roomCommand(
    'listen',
    'Writes what is heard in a room to a file, until it is stopped or the room ends.',
    'Recorder',
  )
    .requiredOption(
      '-o, --output <file>',
      "a file that ends in .wav, .opus, .ogg, .raw or as ffmpeg knows it; '-' for the " +
        'standard output',
    )
    .option(
      '--format <kind>',
      "wav, ogg, raw (samples of 16 bits, little endian), or ffmpeg's name of a format, if " +
        "the name doesn't say; - is raw",
    )
    .option('--duration <seconds>', 'ends after this time', numberFrom(0.01, MAX_SECONDS));

/**
 * @typedef {Pick<SoundWriter, 'write'> & { end: () => void | Promise<void>, readonly isFull:
 *   boolean, begin: (call: Call) => Promise<void>, close: () => Promise<void> }} Target  nothing is
 *   written before begin()
 */

/**
 * `aloud listen`: writes a room's sound to a file.
 * @param {string[]} argv after `listen`
 * @returns {Promise<{ exit: number, print?: string }>}
 * @throws {CommandError}
 */
export async function listen(argv) {
  const command = createCommand();
  const print = readCommand(command, argv);
  if (print !== null) return { exit: Exit.done, print };
  const options = command.opts();
  const open = await targetOf(options.output, options.format);
  const target = await open();
  try {
    const call = await joinFrom(options, { listen: true, nearness: 'steady' });
    return { exit: await record(call, target, options.duration ?? Infinity) };
  } finally {
    await target.close();
  }
}

/**
 * Chooses the writer of a file.
 * @param {string} output
 * @param {string | undefined} format
 * @returns {Promise<() => Promise<Target>>} opens it
 * @throws {CommandError}
 */
async function targetOf(output, format) {
  const kind = format ?? (output === '-' ? 'raw' : kindOf(output));
  if (kind !== null && OWN_KINDS.includes(kind))
    return () => ownTarget(output, /** @type {'wav' | 'ogg' | 'raw'} */ (kind));
  const what = format === undefined ? output : `the format ${format}`;
  try {
    const reason = await writeProblem({ name: output, format });
    if (reason === null) return () => ffmpegTarget(output, format);
    throw new CommandError(
      `can't write ${what} (ffmpeg: "${reason}"): ${NAMES}, or one that ffmpeg knows.`,
      Exit.wrong,
    );
  } catch (error) {
    if (!(error instanceof NoFfmpegError)) throw error;
    throw new CommandError(
      `can't write ${what} without ffmpeg: install it, or ${NAMES}.`,
      Exit.wrong,
    );
  }
}

/** @param {string} output @param {'wav' | 'ogg' | 'raw'} kind */
async function ownTarget(output, kind) {
  const out = await openAnyOut(output).catch((error) => {
    throw new CommandError(`can't write ${output}: ${error.message}.`, Exit.wrong);
  });
  /** @type {SoundWriter | null} */
  let writer = null;
  return {
    begin: async (/** @type {Call} */ { sampleRate, channels, room }) => {
      if (output === '-' && kind === 'raw')
        console.error(
          `Samples of 16 bits, little endian: ${sampleRate} Hz, channels: ${channels}.`,
        );
      writer = await writerOf(kind, out, { sampleRate, channels }, room);
    },
    write: (/** @type {Float32Array} */ samples) => writer?.write(samples),
    end: () => writer?.end(),
    close: () => out.close(),
    get isFull() {
      return out.isFull;
    },
  };
}

/** @param {string} output @param {string | undefined} format */
async function ffmpegTarget(output, format) {
  /** @type {Awaited<ReturnType<typeof writeByFfmpeg>> | null} */
  let writer = null;
  return {
    begin: async (/** @type {Call} */ { sampleRate, channels, room }) => {
      writer = await writeByFfmpeg(output, { sampleRate, channels, format, title: room });
    },
    write: (/** @type {Float32Array} */ samples) => writer?.write(samples),
    end: () => writer?.end(),
    close: async () => {},
    get isFull() {
      return (writer?.waitingBytes() ?? 0) > MAX_WAITING_BYTES;
    },
  };
}

/**
 * @param {Call} call
 * @param {Target} target
 * @param {number} seconds
 */
async function record(call, target, seconds) {
  const perSecond = call.sampleRate * call.channels;
  const wanted = Math.round(seconds * call.sampleRate) * call.channels;
  let [written, stopped] = [0, false];
  /** @type {{ code: string, message: string } | null} */
  let end = null;
  call.once('closed', (ended) => (end = ended));
  const forget = onInterrupt(() => {
    stopped = true;
    void call.leave();
  });
  const isAway = () => (call.state === 'reconnecting' ? ', reconnecting' : '');
  const hide = showProgress(
    () =>
      `${clockTime(written / perSecond)} of ${call.room} written, ${call.people.length} ` +
      `there${isAway()}`,
  );
  const patience = leaveWhenAway(call);
  try {
    await target.begin(call);
    for await (const piece of call.heard) {
      const part = piece.subarray(0, wanted - written);
      target.write(part);
      written += part.length;
      if (written >= wanted || stopped || target.isFull) break;
    }
    await target.end();
  } catch (error) {
    // Such as a full disk.
    throw new CommandError(
      `the sound can't be written: ${/** @type {Error} */ (error).message}.`,
      Exit.call,
    );
  } finally {
    hide();
    forget();
    patience.end();
    await call.leave();
  }
  if (patience.isOver)
    throw new CommandError(`${GONE} What was heard until then is written.`, Exit.call);
  const ended = /** @type {{ code: string, message: string } | null} */ (end);
  if (ended !== null && !['left', 'room-ended'].includes(ended.code))
    throw new CommandError(`${ended.message} What was heard until then is written.`, Exit.call);
  return Exit.done;
}
