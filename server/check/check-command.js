/**
 * `aloud check`: tries whatever a server with these options needs, on this machine and now.
 *
 * @import { Check, Finding } from './finding.js'
 */

import { Command, CommanderError } from 'commander';
import { InformationRequest, loadConfig } from '../config/config.js';
import { checkCertificate, checkNames } from './certificate.js';
import { warn } from './finding.js';
import { checkNats, checkPorts, checkUdp } from './network.js';
import { findRunning } from './running.js';
import {
  checkAddon,
  checkClock,
  checkCodec,
  checkDirectories,
  checkFiles,
  checkNode,
  checkWebRtc,
} from './system.js';

/** Checks in their order. @type {readonly Check[]} */
const CHECKS = Object.freeze([
  checkNode,
  checkAddon,
  (context) => checkCodec(context),
  (context) => checkWebRtc(context),
  checkPorts,
  checkUdp,
  checkCertificate,
  checkNames,
  checkClock,
  checkFiles,
  checkNats,
  checkDirectories,
]);

/** Width of a finding's state, in characters. */
const STATE_WIDTH = 6;

/**
 * @param {string[]} argv  after `check`: the server's options
 * @param {{ env: Record<string, string | undefined>, print: (line: string) => void }} options
 * @returns {Promise<boolean>} false when the server would fail
 * @throws {import('../config/config.js').ConfigError} for a bad option
 * @throws {InformationRequest} for --help
 */
export async function checkCommand(argv, { env, print }) {
  const onOld = (/** @type {import('../config/config.js').Replacement} */ { option, write }) =>
    print(lineOf(warn(`${option} is accepted for the last time`, `write ${write}`)));
  const config = loadConfig({ argv: readHelp(argv), env, onOld });
  const running = await findRunning(config);
  let isWell = true;
  for (const check of CHECKS) {
    for (const finding of await check({ config, running })) {
      print(lineOf(finding));
      if (finding.state === 'fail') isWell = false;
    }
  }
  return isWell;
}

/** @param {Finding} finding */
const lineOf = ({ state, text, remedy }) =>
  `${state.padEnd(STATE_WIDTH)}${text}${remedy ? `: ${remedy}` : ''}`;

/**
 * Prints the help if it is asked for; all other arguments are the server's.
 * @param {string[]} argv
 * @returns {string[]}
 */
function readHelp(argv) {
  let printed = '';
  const command = new Command('aloud check')
    .description(
      'Checks what a server with these options needs: Node.js, the addon, ports, UDP, the ' +
        'certificate, names, the clock, open files, NATS and disks. Each line has a remedy. The ' +
        "server's own options go here too; while it runs, it is asked itself. The exit code is 1 " +
        'if something fails.',
    )
    .exitOverride()
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption('--help', 'prints this')
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new InformationRequest(printed);
  }
  return command.args;
}
