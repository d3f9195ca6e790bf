/**
 * Speaks HTTP/3 badly, connection after connection, by aioquic.
 * @import { Attack } from '../support/attack-process.js'
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** @type {Attack} options: { command: string[] } of test/interop/aioquic/nonsense.py */
export async function attack({ host, h3Port, isOver }, { command: [program, ...args] }) {
  const child = spawn(program, [...args, host, String(h3Port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (bytes) => void (out += bytes));
  while (!isOver()) await pause(20);
  // The process ends with its input.
  child.stdin.end();
  await once(child, 'close');
  return JSON.parse(out);
}
