/**
 * A scenario's command line: common options, and its own.
 * @import { Scenario } from './scenario.js'
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';
import plugin from '../../testkit/plugin.js';
import { loadConfig } from '../../server/config/config.js';
import { LINK_PROFILES } from '../link/profiles.js';
import { listOf, number, wholeNumber } from '../options.js';
import { readQlogFolder } from '../plugin/qlog.js';
import { FORMATS } from './lab.js';

/** The folder in which runs' folders are made, unless another one is named. */
export const RESULTS = fileURLToPath(new URL('../results', import.meta.url));

const TRANSPORTS = ['webtransport', 'websocket', 'http1'];

/** HTTP/1 with a connection for each request, as a transport of scenarios that have it. */
const PER_REQUEST = 'http1-per-request';

/** @param {Scenario} scenario @returns {Command} without an action */
export function scenarioCommand(scenario) {
  const { format = 'thesis', link = 'loopback' } = scenario.defaults;
  const command = new Command(scenario.name).description(scenario.description);
  /** @param {Option} option that the scenario may lack */
  const offer = (option) => {
    const name = option.attributeName();
    if (scenario.lacks?.some((one) => one === name))
      command.setOptionValueWithSource(name, option.defaultValue, 'default');
    else command.addOption(option);
  };
  offer(
    new Option('--transports <list>', 'separated by commas')
      .argParser(listOf(scenario.hasPerRequest ? [...TRANSPORTS, PER_REQUEST] : TRANSPORTS))
      .default(scenario.defaults.transports ?? ['webtransport', 'http1']),
  );
  command
    .addOption(
      new Option('--link <profile>', 'the network between them')
        .choices(Object.keys(LINK_PROFILES))
        .default(link),
    )
    .option(
      '--link-steps <file>',
      'JSON list of { atMs, changes } that the link goes through, from the first packet on',
      readSteps,
    );
  addBlocks(command, scenario, offer);
  command
    .addOption(
      new Option(
        '--format <name>',
        Object.entries(FORMATS)
          .map(([name, { words }]) => `${name}: ${words}`)
          .join('; '),
      )
        .choices(Object.keys(FORMATS))
        .default(format),
    )
    .option('--seed <number>', 'of the link and the statistics', wholeNumber(0, 2 ** 32 - 1), 1);
  offer(
    new Option(
      '--browser',
      'participants in Chromium (CHROMIUM_PATH, or where it usually is) instead of headless ones',
    ).default(scenario.defaults.browser ?? false),
  );
  command
    .addOption(
      new Option(
        '--complexity <n>',
        "of the server's Opus encoders, 0 to 10 whatever the server's load is, or auto",
      )
        .argParser(readComplexity)
        .default(scenario.defaults.complexity ?? String(defaultEncoderSettings.complexity)),
    )
    .option(
      '--server <options>',
      'further options of the server, in one string',
      readServerOptions,
      [],
    )
    .option(
      '--qlog <folder>',
      "writes a qlog of each QUIC connection there, as files that qvis opens (needs the engine's " +
        'build for the lab)',
      readQlogFolder,
    )
    .addOption(
      new Option('--out <folder>', "where the run's folder is made").default(
        RESULTS,
        'bench/results',
      ),
    );
  if (scenario.hasPerRequest) addPerRequest(command);
  scenario.addOptions?.(command);
  return command;
}

/**
 * Adds the options of what is measured, and how often.
 * @param {Command} command
 * @param {Scenario} scenario
 * @param {(option: Option) => void} offer  unless the scenario lacks it
 */
function addBlocks(command, { defaults: { duration = 60, repetitions = 6 }, ...scenario }, offer) {
  offer(
    new Option('--duration <seconds>', 'measured for each protocol')
      .argParser(number(1, 36000))
      .default(duration),
  );
  command.option(
    '--repetitions <count>',
    scenario.lacks?.includes('duration')
      ? 'how often all of it is measured'
      : 'blocks that the duration is cut into, the protocols by turns',
    wholeNumber(1, scenario.isOnce ? 1 : 1000),
    repetitions,
  );
  offer(
    new Option('--warm-up <seconds>', 'left out at the beginning of each block')
      .argParser(number(0, 60))
      .default(1.5),
  );
}

/**
 * Adds an option that measures HTTP/1 both ways by turns. A browser's connections aren't the lab's
 * to end.
 * @param {Command} command
 */
function addPerRequest(command) {
  command.addOption(
    new Option(
      '--connection-per-request',
      `measures HTTP/1 with a new connection for each request too (${PER_REQUEST} of ` +
        '--transports), as the thesis had it; without a browser only',
    )
      .conflicts('browser')
      .implies({ transports: ['webtransport', 'http1', PER_REQUEST] }),
  );
}

/** @param {string} file */
function readSteps(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`must be a JSON file: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} text */
function readComplexity(text) {
  return checkedArgv(['--complexity', text])[1];
}

/** @param {string} text as a command line has them */
function readServerOptions(text) {
  return checkedArgv(text.split(/\s+/).filter(Boolean));
}

/**
 * @param {string[]} argv  of the server
 * @returns {string[]} the same
 * @throws {InvalidArgumentError} where the server doesn't take them
 */
function checkedArgv(argv) {
  try {
    loadConfig({ argv, more: plugin.options });
  } catch (error) {
    throw new InvalidArgumentError(/** @type {Error} */ (error).message);
  }
  return argv;
}
