/** @import { Call } from './types.js' */

import { clockTime, CommandError, Exit, GONE, joinFrom, leaveWhenAway, numberFrom, onInterrupt, readCommand, roomCommand, showProgress } from './command-line.js';
import { convert } from './sound/convert.js';
import { openSound } from './sound/open-sound.js';
import { NotSoundError } from './sound/sound.js';

/** @typedef {import('./sound/sound.js').Sound} Sound */

const createCommand = () =>
  roomCommand('play', 'Plays a sound file into a room: WAV, Ogg Opus, and what ffmpeg reads where it is installed.', 'Player')
    .argument('<file>', "the file; '-' for the standard input")
    .option('--loop', 'plays it again and again')
    .option('--volume <factor>', 'of amplitude: 0.5 is 6 dB softer', numberFrom(0, 8), 1)
    .option('--rate <hz>', 'plays samples of 16 bits, little endian, without a header: their rate', numberFrom(1000, 768_000))
    .option('--channels <count>', 'of those samples', numberFrom(1, 32), 1);

/**
 * `aloud play`: plays a file into a room, and ends with it.
 * @param {string[]} argv  after `play`
 * @returns {Promise<{ exit: number, print?: string }>}
 * @throws {CommandError}
 */
export async function play(argv) {
  const command = createCommand();
  const print = readCommand(command, argv);
  if (print !== null) return { exit: Exit.done, print };
  const options = command.opts();
  const [file] = command.args;
  if (options.loop && file === '-') throw new CommandError('--loop needs a file: the standard input comes once.', Exit.wrong);
  const raw = options.rate === undefined ? null : { sampleRate: Math.round(options.rate), channels: Math.round(options.channels) };
  const open = () => openSound(file, { raw }).catch(notSound);
  // What is no sound is told before anybody sees a player come.
  const sound = await open();
  try {
    const channels = sound.channels === 1 ? 1 : 2;
    const call = await joinFrom(options, { music: true, hear: false, channels });
    return { exit: await playInto(call, sound, { volume: options.volume, again: options.loop ? open : null }) };
  } finally {
    await sound.close();
  }
}

/** @param {unknown} error @returns {never} */
function notSound(error) {
  throw error instanceof NotSoundError ? new CommandError(error.message, Exit.wrong) : error;
}

/**
 * @param {Call} call
 * @param {Sound} first
 * @param {{ volume: number, again: (() => Promise<Sound>) | null }} how  again: opens it anew, where it is to be played so
 */
async function playInto(call, first, { volume, again }) {
  const { sampleRate, channels } = call;
  let [sound, stopped, played] = [first, false, 0];
  /** @type {{ code: string, message: string } | null} */
  let end = null;
  call.once('closed', (told) => (end = told));
  const forget = onInterrupt(() => {
    stopped = true;
    call.hush();
    // What a pipe is waited for doesn't come any more.
    void sound.close();
  });
  call.once('closed', () => void sound.close());
  const patience = leaveWhenAway(call);
  const length = first.seconds === null ? '' : ` of ${clockTime(first.seconds)}`;
  const isAway = () => (call.state === 'reconnecting' ? ', reconnecting' : '');
  const hide = showProgress(() => `${clockTime(played / sampleRate / channels)}${length} played in ${call.room}, ${call.people.length} there${isAway()}`);
  try {
    for (;;) {
      for await (const piece of convert(sound, { sampleRate, channels, gain: volume })) {
        if (stopped || end) break;
        await call.say(piece);
        played += piece.length;
      }
      await sound.close();
      if (stopped || end || again === null) break;
      sound = await again();
    }
    if (!stopped) await call.said();
  } finally {
    hide();
    forget();
    patience.end();
    await sound.close();
    await call.leave();
  }
  if (patience.isOver) throw new CommandError(GONE, Exit.call);
  const told = /** @type {{ code: string, message: string } | null} */ (end);
  if (told !== null && told.code !== 'left') throw new CommandError(told.message, Exit.call);
  return Exit.done;
}
