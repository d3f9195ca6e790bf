/**
 * Checks of this machine: Node.js, the addon, the clock, open files, disks, and parts that the
 * options ask for.
 */

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildAdvice, load, NativeUnavailableError, probeLibrary } from '@aloud/native';
import { CERTIFICATE_DIRECTORY } from '../certificate/generate.js';
import { openCodec } from '../codec/codec.js';
import { partsOf, readAcme, readRecordingLimit } from '../config/readers.js';
import { mostConnections } from '../tcp-listening.js';
import { FILES_ADVICE, limitOfFiles } from '../open-files.js';
import { stateDirectory } from '../packages.js';
import { findWebRtc } from '../webrtc/webrtc.js';
import { fail, note, ok, reasonOf, warn } from './finding.js';

/** @import { Check, Context, Finding } from './finding.js' */

/** Descriptors besides connections: files, sockets, threads. */
const OTHER_FILES = 200;

/** Difference from another clock from which nodes and tokens suffer, in milliseconds. */
const CLOCK_MS = 2000;

/** Longest wait for another clock, in milliseconds. */
const CLOCK_WAIT_MS = 3000;

const MB = 1024 * 1024;

const SYNC_CLOCK = 'let the system set it: timedatectl set-ntp true, or chrony';

/** @type {Check} */
export const checkNode = () => [ok(`Node.js ${process.version} on ${process.platform}`)];

/** @type {Check} */
export async function checkAddon() {
  await probeLibrary();
  try {
    load();
    return [ok('the addon loads (HTTP/3 and Opus)')];
  } catch (error) {
    const { missing, command } = await buildAdvice();
    const reason = error instanceof NativeUnavailableError ? error.reason : reasonOf(error);
    const lack = missing ? `; to build it, this machine lacks ${missing}` : '';
    return [warn(`the addon is unavailable (${reason}${lack})`, command)];
  }
}

/** @type {Check} */
export async function checkClock({ config }) {
  if (config.domains !== null) {
    const { directoryUrl } = partsOf(readAcme, config.acmeEmail);
    try {
      const sent = Date.now();
      const answer = await fetch(directoryUrl, {
        method: 'HEAD',
        signal: AbortSignal.timeout(CLOCK_WAIT_MS),
      });
      const theirs = Date.parse(answer.headers.get('date') ?? '');
      // Theirs has whole seconds, and was written somewhere between request and answer.
      const offMs = Math.abs((sent + Date.now()) / 2 - theirs) - 500;
      if (Number.isNaN(theirs)) return [note('the clock could not be compared')];
      return offMs < CLOCK_MS
        ? [ok(`the clock agrees with ${new URL(directoryUrl).host}`)]
        : [warn(`the clock is ${Math.round(offMs / 1000)} s off`, SYNC_CLOCK)];
    } catch (error) {
      return [note(`the clock could not be compared (${reasonOf(error)})`)];
    }
  }
  return [await clockOfSystem()];
}

/** Asks the system if it sets its clock by NTP. @returns {Promise<Finding>} */
async function clockOfSystem() {
  try {
    const { stdout } = await promisify(execFile)(
      'timedatectl',
      ['show', '--property=NTPSynchronized', '--value'],
      { timeout: CLOCK_WAIT_MS },
    );
    return stdout.trim() === 'yes'
      ? ok('the system sets its clock by NTP')
      : warn('the system does not set its clock by NTP', SYNC_CLOCK);
  } catch {
    return note('nobody could be asked whether the clock is right; nodes and tokens need that');
  }
}

/** @type {Check} */
export function checkFiles({ config }) {
  const limit = limitOfFiles();
  if (limit === undefined || Number.isNaN(limit))
    return [note('the system does not tell its limit of open files')];
  const needed = mostConnections(config) + OTHER_FILES;
  if (limit >= needed) return [ok(`${limit} files may be open, and ${needed} are needed at most`)];
  return [
    warn(
      `${limit} files may be open, and --max-sessions ${config.maxSessions} may need ${needed}`,
      FILES_ADVICE,
    ),
  ];
}

/** @type {Check} */
export async function checkDirectories({ config }) {
  const { recordingDir, certDir, cert } = config;
  const { megabytes } = partsOf(readRecordingLimit, config.recordingLimit);
  const findings = [];
  if (megabytes > 0) {
    const directory = recordingDir ?? join(stateDirectory(), 'recordings');
    findings.push(await checkDirectory('recording-dir', directory, megabytes));
  }
  if (cert === null)
    findings.push(await checkDirectory('cert-dir', certDir ?? CERTIFICATE_DIRECTORY, 1));
  return findings;
}

/**
 * @param {string} option
 * @param {string} directory  may be missing: the server makes it
 * @param {number} neededMb
 * @returns {Promise<Finding>}
 */
async function checkDirectory(option, directory, neededMb) {
  const there = await existing(directory);
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch (error) {
    return fail(
      `--${option} ${directory} can't be written (${reasonOf(error)})`,
      `give this user the right to ${there}, or name another directory`,
    );
  }
  const { bavail, bsize } = await statfs(there);
  const freeMb = Math.floor((bavail * bsize) / MB);
  return freeMb >= neededMb
    ? ok(`--${option} ${directory}: ${freeMb} MB free`)
    : warn(
        `--${option} ${directory}: ${freeMb} MB free, and ${neededMb} MB may be needed`,
        option === 'recording-dir' ? 'free some, or lower --recording-limit' : 'free some',
      );
}

/** Nearest directory that exists. @param {string} path @returns {Promise<string>} */
async function existing(path) {
  try {
    await access(path);
    return path;
  } catch {
    return dirname(path) === path ? path : existing(dirname(path));
  }
}

/**
 * @param {Context} context
 * @param {Parameters<typeof findWebRtc>[0]} [find]  finds a package
 * @returns {Finding[]}
 */
export function checkWebRtc({ config }, find) {
  if (!config.webrtc) return [];
  try {
    findWebRtc(find);
    return [ok('--webrtc has its library')];
  } catch (error) {
    const [what, remedy] = reasonOf(error).split(': ');
    return [fail(what, remedy)];
  }
}

/**
 * @param {Context} context
 * @param {typeof openCodec} [open]
 * @returns {Promise<Finding[]>}
 */
export async function checkCodec({ config: { codec } }, open = openCodec) {
  // The server chooses one that is there.
  if (codec === 'auto') return [];
  try {
    await open(codec);
    return [ok(`--codec ${codec} loads`)];
  } catch (error) {
    return [fail(reasonOf(error).replace(/\.$/, ''), 'choose another, or leave --codec out')];
  }
}
