/** Commands that are programs in a room: `aloud play` and `aloud listen`. */

import { CommandError, Exit } from './command-line.js';
import { listen } from './listen-command.js';
import { play } from './play-command.js';

const COMMANDS = Object.freeze({ play, listen });

/**
 * Runs a command, and prints a failure as a sentence.
 * @param {keyof typeof COMMANDS} name
 * @param {string[]} argv after the name
 * @returns {Promise<number>} the exit code
 */
export async function runCommand(name, argv) {
  try {
    const { exit, print = '' } = await COMMANDS[name](argv);
    process.stdout.write(print);
    return exit;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`aloud ${name}: ${error.message}`);
    return error.exit ?? Exit.call;
  }
}
