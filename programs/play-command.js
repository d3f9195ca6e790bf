/** @import { Call } from './types.js' */

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
import { convert } from './sound/convert.js';
import { openSound } from './sound/open-sound.js';
import { NotSoundError } from './sound/sound.js';

/** @typedef {import('./sound/sound.js').Sound} Sound */

const createCommand = () =>
  roomCommand(
    'play',
    'Plays a sound file into a room: WAV, Ogg Opus, and what ffmpeg reads if it is installed.',
    'Player',
  )
    .argument('<file>', "the file; '-' for the standard input")
    .option('--loop', 'plays it again and again')
    .option('--volume <factor>', 'of amplitude: 0.5 is 6 dB softer', numberFrom(0, 8), 1)
    .option(
      '--rate <hz>',
      'plays samples of 16 bits, little endian, without a header: their rate',
      numberFrom(1000, 768_000),
    )
    .option('--channels <count>', 'of those samples', numberFrom(1, 32), 1);

/**
 * `aloud play`: plays a file into a room, then leaves.
 * @param {string[]} argv after `play`
 * @returns {Promise<{ exit: number, print?: string }>}
 * @throws {CommandError}
 */
export async function play(argv) {
  const command = createCommand();
  const print = readCommand(command, argv);
  if (print !== null) return { exit: Exit.done, print };
  const options = command.opts();
  const [file] = command.args;
  if (options.loop && file === '-')
    throw new CommandError('--loop needs a file: the standard input comes once.', Exit.wrong);
  const raw =
    options.rate === undefined
      ? null
      : { sampleRate: Math.round(options.rate), channels: Math.round(options.channels) };
  const open = () => openSound(file, { raw }).catch(notSound);
  // A file without sound is refused before the player appears in the room.
  const sound = await open();
  try {
    const channels = sound.channels === 1 ? 1 : 2;
    const call = await joinFrom(options, { music: true, hear: false, channels });
    return {
      exit: await playInto(call, sound, {
        volume: options.volume,
        reopen: options.loop ? open : null,
      }),
    };
  } finally {
    await sound.close();
  }
}

/** @param {unknown} error @returns {never} */
function notSound(error) {
  throw error instanceof NotSoundError ? new CommandError(error.message, Exit.wrong) : error;
}

/**
 * @typedef {{ volume: number, reopen: (() => Promise<Sound>) | null }} PlayOptions
 *   reopen: opens it once more to repeat it
 */

/**
 * @param {Call} call
 * @param {Sound} first
 * @param {PlayOptions} options
 */
async function playInto(call, first, options) {
  const { sampleRate, channels } = call;
  /** @type {Playing} */
  const playing = { sound: first, isStopped: false, played: 0, end: null };
  // A pipe that is being read brings nothing more.
  const closeSound = () => void playing.sound.close();
  call.once('closed', (end) => {
    playing.end = end;
    closeSound();
  });
  const forget = onInterrupt(() => {
    playing.isStopped = true;
    call.hush();
    closeSound();
  });
  const patience = leaveWhenAway(call);
  const length = first.seconds === null ? '' : ` of ${clockTime(first.seconds)}`;
  const isAway = () => (call.state === 'reconnecting' ? ', reconnecting' : '');
  const hide = showProgress(
    () =>
      `${clockTime(playing.played / sampleRate / channels)}${length} played in ` +
      `${call.room}, ${call.people.length} there${isAway()}`,
  );
  try {
    await sayAll(call, playing, options);
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code !== 'not-allowed') throw error;
    throw new CommandError(/** @type {Error} */ (error).message, Exit.call);
  } finally {
    hide();
    forget();
    patience.end();
    await playing.sound.close();
    await call.leave();
  }
  if (patience.isOver) throw new CommandError(GONE, Exit.call);
  const { end } = playing;
  if (end !== null && end.code !== 'left') throw new CommandError(end.message, Exit.call);
  return Exit.done;
}

/**
 * @typedef {{ sound: Sound, isStopped: boolean, played: number, end: { code: string, message:
 *   string } | null }} Playing played: samples
 */

/** @param {Call} call @param {Playing} playing @param {PlayOptions} options */
async function sayAll(call, playing, { volume, reopen }) {
  const { sampleRate, channels } = call;
  const isOver = () => playing.isStopped || playing.end !== null;
  // A call without permission to speak learns that at once, even if a pipe brings nothing yet.
  await call.say(new Float32Array(0));
  for (;;) {
    for await (const piece of convert(playing.sound, { sampleRate, channels, gain: volume })) {
      if (isOver()) break;
      await call.say(piece);
      playing.played += piece.length;
    }
    await playing.sound.close();
    if (isOver() || reopen === null) break;
    playing.sound = await reopen();
  }
  if (!playing.isStopped) await call.said();
}
