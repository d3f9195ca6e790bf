/** Calls whose packets are as large as can be, on a path that takes 1 280 bytes. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isBuilt } from '@aloud/native';
import { expect, it } from 'vitest';
import { run } from '../../testkit/network-namespace.js';
import { canBuildNative, ofTheMachine, requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const CALL = fileURLToPath(new URL('../fixtures/loud-call.js', import.meta.url));
const NARROW = 'ip link set lo mtu 1280 up && exec "$@"';

const { code } = await run('unshare', ['--net', 'sh', '-c', NARROW, 'sh', 'true']);
const LACKS = 'network namespaces need Linux, root and iproute2';
const needsNetwork = requireOrSkip(code === 0, LACKS, ofTheMachine);
const needsEngine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

/**
 * @typedef {{ speakers: number, argv: string[], longest?: number[], e2eKey?: string }} Wish see
 *   loud-call.js
 */

/** @param {Wish} wish @param {string[]} [within]  the command that runs the call's */
async function losesNothing(wish, within = []) {
  const [command, ...args] = [...within, process.execPath, CALL, JSON.stringify(wish)];
  const { stdout } = await promisify(execFile)(command, args);
  /** @type {{ received: number, droppedTooBig: number, heard: number }[]} */
  const people = JSON.parse(stdout);
  for (const [index, { received, droppedTooBig, heard }] of people.entries()) {
    expect(droppedTooBig).toBe(0);
    expect(received).toBeGreaterThan(50);
    // Noise at half the full scale has 0.29.
    if (index > 0 || wish.speakers > 1) expect(heard).toBeGreaterThan(0.05);
  }
}

const LOUDEST = ['--bitrate', '256000'];
const SHORT = [...LOUDEST, '--frame-ms', '5'];
const QUIETER = ['--bitrate', '36000'];
const FORWARD = ['--mode', 'forward', '--redundancy', '2'];
const NOW = [...FORWARD, '--delivery', 'packets'];
const KEY = 'A'.repeat(22);

/** @type {[string, Wish][]} */
const calls = [
  ['stereo at the highest bit rate, mixed', { speakers: 2, argv: LOUDEST }],
  ['stereo at the highest bit rate, in short frames', { speakers: 1, argv: SHORT }],
  ['bundles of four voices with repeats', { speakers: 4, argv: [...QUIETER, ...FORWARD] }],
  ['voices that are passed on as they come', { speakers: 2, argv: [...LOUDEST, ...NOW] }],
  ['voices that are encrypted', { speakers: 1, argv: [...LOUDEST, ...FORWARD], e2eKey: KEY }],
];

needsEngine.describe('a call loses no packet for its size', () => {
  const within = ['unshare', '--net', 'sh', '-c', NARROW, 'sh'];
  for (const [name, wish] of calls) {
    const title = `on a path of 1 280 bytes: ${name}`;
    needsNetwork.it(title, () => undisturbed(() => losesNothing(wish, within)));
  }

  const asked = { speakers: 1, argv: LOUDEST, longest: [1024, 1215] };
  it('from a browser that takes less at first', () => undisturbed(() => losesNothing(asked)));
});
