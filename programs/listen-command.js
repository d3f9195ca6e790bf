/**
 * @import { Call } from './types.js'
 * @import { Out, SoundWriter } from './sound/writers.js'
 */

import { clockTime, CommandError, Exit, GONE, joinFrom, leaveWhenAway, numberFrom, onInterrupt, readCommand, roomCommand, showProgress } from './command-line.js';
import { kindOf, openOut, writerOf } from './sound/writers.js';

/** The longest recording, in seconds: a week. */
const MAX_SECONDS = 7 * 86_400;

/** The bytes that wait where the standard output isn't read; beyond it the reader is too slow. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

const createCommand = () =>
  roomCommand('listen', 'Writes what is heard in a room to a file, until it is stopped or the room ends.', 'Recorder')
    .requiredOption('-o, --output <file>', "a file that ends in .wav, .opus, .ogg or .raw; '-' for the standard output")
    .option('--format <kind>', 'wav, ogg or raw (samples of 16 bits, little endian), where the name doesn\'t say; - is raw')
    .option('--duration <seconds>', 'ends after so long', numberFrom(0.01, MAX_SECONDS));

/**
 * `aloud listen`: writes a room's sound to a file.
 * @param {string[]} argv  after `listen`
 * @returns {Promise<{ exit: number, print?: string }>}
 * @throws {CommandError}
 */
export async function listen(argv) {
  const command = createCommand();
  const print = readCommand(command, argv);
  if (print !== null) return { exit: Exit.done, print };
  const options = command.opts();
  const kind = askedKind(options.output, options.format);
  const out = options.output === '-' ? standardOut() : outOf(options.output);
  try {
    const call = await joinFrom(options, { listen: true, nearness: 'steady' });
    const { sampleRate, channels } = call;
    if (options.output === '-' && kind === 'raw') console.error(`Samples of 16 bits, little endian: ${sampleRate} Hz, channels: ${channels}.`);
    const writer = await writerOf(kind, out, { sampleRate, channels }, call.room);
    return { exit: await record(call, writer, out, options.duration ?? Infinity) };
  } finally {
    out.close();
  }
}

/** @param {string} output @param {string | undefined} format */
function askedKind(output, format) {
  const kind = format ?? (output === '-' ? 'raw' : kindOf(output));
  if (kind === 'wav' || kind === 'ogg' || kind === 'raw') return kind;
  const what = format === undefined ? `${output} is of no kind that can be written` : `--format ${format} is none`;
  throw new CommandError(`${what}: use a name that ends in .wav, .opus, .ogg or .raw, or --format wav, ogg or raw.`, Exit.wrong);
}

/** @param {string} output */
function outOf(output) {
  try {
    return { ...openOut(output), isFull: false };
  } catch (error) {
    throw new CommandError(`${output} can not be written: ${/** @type {Error} */ (error).message}.`, Exit.wrong);
  }
}

/** @returns {Out & { close: () => void, readonly isFull: boolean }} */
function standardOut() {
  let isGone = false;
  process.stdout.on('error', () => (isGone = true));
  return {
    write: (bytes) => void process.stdout.write(bytes),
    patch: null,
    close: () => {},
    get isFull() {
      return isGone || process.stdout.writableLength > MAX_UNREAD_BYTES;
    },
  };
}

/**
 * @param {Call} call
 * @param {SoundWriter} writer
 * @param {{ readonly isFull: boolean }} out
 * @param {number} seconds
 */
async function record(call, writer, out, seconds) {
  const perSecond = call.sampleRate * call.channels;
  const wanted = Math.round(seconds * call.sampleRate) * call.channels;
  let [written, stopped] = [0, false];
  /** @type {{ code: string, message: string } | null} */
  let end = null;
  call.once('closed', (told) => (end = told));
  const forget = onInterrupt(() => {
    stopped = true;
    void call.leave();
  });
  const isAway = () => (call.state === 'reconnecting' ? ', reconnecting' : '');
  const hide = showProgress(() => `${clockTime(written / perSecond)} of ${call.room} written, ${call.people.length} there${isAway()}`);
  const patience = leaveWhenAway(call);
  try {
    for await (const piece of call.heard) {
      const part = piece.subarray(0, wanted - written);
      writer.write(part);
      written += part.length;
      if (written >= wanted || stopped || out.isFull) break;
    }
    writer.end();
  } catch (error) {
    // As a disk that is full.
    throw new CommandError(`what is heard can not be written: ${/** @type {Error} */ (error).message}.`, Exit.call);
  } finally {
    hide();
    forget();
    patience.end();
    await call.leave();
  }
  if (patience.isOver) throw new CommandError(`${GONE} What was heard until then is written.`, Exit.call);
  const told = /** @type {{ code: string, message: string } | null} */ (end);
  if (told !== null && !['left', 'room-ended'].includes(told.code)) throw new CommandError(`${told.message} What was heard until then is written.`, Exit.call);
  return Exit.done;
}
