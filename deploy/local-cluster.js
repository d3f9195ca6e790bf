/**
 * Starts NATS and several nodes of aloud on this machine. A number kills or starts a node: a key on
 * a terminal, otherwise a line of standard input.
 */

import { randomBytes } from 'node:crypto';
import { createInterface, emitKeypressEvents } from 'node:readline';
import { Command, InvalidArgumentError } from 'commander';
import {
  endAll,
  findNats,
  NATS_MISSING,
  startNatsCluster,
  startNode,
} from './cluster-processes.js';

/** @import { NodeProcess } from './cluster-processes.js' */

/** @param {number} min @param {number} max */
const whole = (min, max) => (/** @type {string} */ text) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  return value;
};

const command = new Command('local-cluster')
  .description('Starts NATS and several nodes of aloud on this machine, and says what to open.')
  .option('--nats <path>', 'the program nats-server; by default the one that is installed')
  .option('--nodes <number>', 'how many nodes', whole(2, 9), 3)
  .option(
    '--port <number>',
    'TCP port of the first node; the others have those after it',
    whole(1024, 65_000),
    8081,
  )
  .argument('[options...]', "further options of the nodes, after '--'")
  .parse();

const { nats: path, nodes: count, port } = command.opts();
const key = randomBytes(24).toString('base64url');
/** By number. @type {Map<number, NodeProcess>} */
const nodes = new Map();
/** @type {import('node:child_process').ChildProcess[]} */
let natsServers = [];
let natsUrl = '';
let isEnding = false;

/** @param {string} line */
const say = (line) => void process.stdout.write(`${line}\r\n`);

/** @param {string} why */
async function end(why, code = 0) {
  if (isEnding) return;
  isEnding = true;
  say(why);
  await endAll(
    [...nodes.values()].map(({ child }) => child),
    'SIGINT',
  );
  await endAll(natsServers, 'SIGTERM');
  process.exit(code);
}

/** @param {number} number */
async function start(number) {
  const node = await startNode(number, {
    nats: natsUrl,
    key,
    port: port + number - 1,
    argv: command.args,
  });
  nodes.set(number, node);
  node.child.once('exit', () => {
    nodes.delete(number);
    if (!isEnding)
      say(`Node ${number} is gone. Its calls go on at the others; ${number} starts it again.`);
  });
  return node;
}

/** @param {number} number */
function press(number) {
  const node = nodes.get(number);
  if (node) {
    say(`Node ${number} is killed.`);
    node.child.kill('SIGKILL');
  } else if (number >= 1 && number <= count) {
    start(number).then(
      ({ url }) => say(`Node ${number} is back: ${url}`),
      (error) => say(String(error.message)),
    );
  }
}

/** @param {string} word the pressed key, or the written line */
function obey(word) {
  if (word === 'q') void end('All are ended.');
  else if (/^[1-9]$/.test(word)) press(Number(word));
}

function listenForWords() {
  if (!process.stdin.isTTY)
    return void createInterface({ input: process.stdin }).on('line', (line) => obey(line.trim()));
  emitKeypressEvents(process.stdin);
  process.stdin.setRawMode(true);
  process.stdin.on('keypress', (_text, { name = '', ctrl }) =>
    obey(ctrl && name === 'c' ? 'q' : name),
  );
}

/** Instructions to kill and start nodes. */
const howTo = () =>
  process.stdin.isTTY
    ? `Press 1 to ${count} to kill that node, or start it again; q ends all.`
    : `A line on standard input kills a node or starts it again: 1 to ${count}. A line with q ` +
      `ends all, and so does: kill ${process.pid}`;

async function main() {
  const program = findNats(path);
  if (program === null) {
    console.error(path === undefined ? NATS_MISSING : `${path} can't be run. ${NATS_MISSING}`);
    process.exit(2);
  }
  ({ url: natsUrl, children: natsServers } = await startNatsCluster(program, 1));
  await Promise.all(Array.from({ length: count }, (_, i) => start(i + 1)));
  say(
    `A cluster of ${count} nodes runs on this machine, over NATS at ${natsUrl}. Open the ` +
      'room in two browsers:',
  );
  for (const [number, { url }] of [...nodes].sort(([a], [b]) => a - b))
    say(`  node ${number}  ${url}/r/tea`);
  say('Whichever you open, you meet in one room on one node.');
  say(howTo());
  listenForWords();
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
  process.on(signal, () => void end('All are ended.'));
main().catch((error) => end(error.message, 1));
