/**
 * Icecast between aloud and its listeners: it fetches a room's link itself, or gets it from ffmpeg.
 */

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../deploy/cluster-processes.js';
import { userOf } from '../../testkit/players/programs.js';

/** The time after which a listener comes, in milliseconds: long after the header. */
const LATER_MS = 8000;

const PASSWORD = 'measuring';
const WEB = '/usr/share/icecast2';

const pass = (/** @type {number} */ ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** @param {URL} url of a mount that is relayed @param {number} i */
const relayOf = ({ port, pathname }, i) => `<relay>
    <server>127.0.0.1</server>
    <port>${port}</port>
    <mount>${pathname}</mount>
    <local-mount>/${i}</local-mount>
    <on-demand>0</on-demand>
  </relay>`;

/** @param {number} port @param {string} folder @param {URL[]} relayed */
const configOf = (port, folder, relayed) => `<icecast>
  <limits><clients>20</clients><sources>8</sources><burst-on-connect>0</burst-on-connect></limits>
  <authentication>
    <source-password>${PASSWORD}</source-password>
    <admin-user>admin</admin-user>
    <admin-password>${PASSWORD}</admin-password>
  </authentication>
  <hostname>localhost</hostname>
  <listen-socket><port>${port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  ${relayed.map(relayOf).join('')}
  <paths>
    <logdir>${folder}</logdir>
    <webroot>${WEB}/web</webroot>
    <adminroot>${WEB}/admin</adminroot>
  </paths>
  <logging>
    <accesslog>access.log</accesslog>
    <errorlog>error.log</errorlog>
    <loglevel>3</loglevel>
  </logging>
</icecast>`;

/** @param {string} from @param {string} to  an icecast: address */
function startSource(from, to) {
  const kind = from.endsWith('webm') ? 'webm' : 'ogg';
  return spawn(
    'ffmpeg',
    [
      '-nostdin',
      '-v',
      'error',
      '-i',
      from,
      '-c',
      'copy',
      '-f',
      kind,
      '-content_type',
      `audio/${kind}`,
      to,
    ],
    { stdio: 'ignore' },
  );
}

/**
 * Ends a program, unless it has ended already, or couldn't be started.
 * @param {import('node:child_process').ChildProcess} child
 */
export const ended = (child) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => {
        child.once('exit', () => resolve(undefined));
        child.kill();
      });

/**
 * Gives links to Icecast, and waits so that a listener there joins late.
 * @param {'relay' | 'source'} how  Icecast fetches them, or ffmpeg brings them
 * @param {string[]} links
 * @returns {Promise<{ urls: string[], close: () => Promise<void> }>} addresses for listeners
 */
export async function openIcecast(how, links) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'aloud-icecast-'));
  chmodSync(folder, 0o777);
  const config = join(folder, 'icecast.xml');
  writeFileSync(
    config,
    configOf(port, folder, how === 'relay' ? links.map((link) => new URL(link)) : []),
  );
  const children = [spawn('icecast2', ['-c', config], { ...userOf('icecast2'), stdio: 'ignore' })];
  await pass(1000);
  if (how === 'source')
    children.push(
      ...links.map((link, i) =>
        startSource(link, `icecast://source:${PASSWORD}@127.0.0.1:${port}/${i}`),
      ),
    );
  // One that can't be started has no `exit`, and an error that nobody hears ends this process.
  for (const child of children) child.once('error', () => {});
  await pass(LATER_MS);
  const close = async () => {
    await Promise.all(children.map(ended));
    rmSync(folder, { recursive: true });
  };
  return { urls: links.map((_link, i) => `http://127.0.0.1:${port}/${i}`), close };
}
