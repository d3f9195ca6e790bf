#!/usr/bin/env bash
# The processor time of a child that has ended is its parent's (proc(5), cutime and cstime). Of
# Chromium that holds for its first process: what its pages used is in no process's times any more.
. "$(dirname "$0")/lib.sh"
browser_pieces

cat >"$work/main.mjs" <<'END'
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { open } from './browser.mjs';
import { claim } from './claim.mjs';

// Fields of /proc/PID/stat behind the name: the parent, and ticks of 10 ms.
function processes() {
  const found = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = line.slice(line.lastIndexOf(')') + 2).split(' ').map(Number);
      const [own, children] = [fields[11] + fields[12], fields[13] + fields[14]];
      found.set(Number(pid), { parent: fields[1], own, children });
    } catch {
      // It has ended.
    }
  }
  return found;
}

// Seconds of this process and of all that it started, as far as they can be read.
function usedSeconds() {
  const all = processes();
  const isOurs = (pid) => {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === process.pid) return true;
    return false;
  };
  return [...all].filter(([pid]) => isOurs(pid))
    .reduce((sum, [, { own, children }]) => sum + (own + children) / 100, 0);
}

const { page, close } = await open('chromium');
await page.evaluate(() => {
  const end = performance.now() + 3_000;
  while (performance.now() < end);
});
const before = usedSeconds();
await close();
await wait(1_000);
const after = usedSeconds();
claim('while it runs, its page has used what it computed', before > 3, `${before.toFixed(1)} s`);
claim('once it has ended, two seconds and more of that are in no process',
  before - after > 2, `${after.toFixed(1)} s`);
END
cd "$work"
judge node main.mjs
