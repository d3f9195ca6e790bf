/** Resources of a process, from Linux's /proc (proc(5)). */

import { readdirSync, readFileSync } from 'node:fs';

/** True when this machine has /proc. */
export const hasProc = process.platform === 'linux';

/**
 * A tick of the times in /proc, in milliseconds: USER_HZ is 100 on every machine that Node runs on.
 */
const TICK_MS = 10;

/** @param {number} pid */
export function descriptorsOf(pid) {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** @param {number} pid @returns {number} bytes of memory in use, as the machine counts it */
export function residentBytes(pid) {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return 1024 * Number(kilobytes);
}

/**
 * @param {number} pid
 * @returns {number} processor time of all its threads since its start, in milliseconds
 */
export function processorMs(pid) {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name in parentheses begins field 3; the times in user and kernel mode are fields 14
  // and 15.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}
