#!/usr/bin/env bash
# prom-client's event loop lag: each scrape empties it, so a second scraper sees next to nothing.
. "$(dirname "$0")/lib.sh"
npm_install prom-client@15.1.3

cat >"$work/main.mjs" <<'END'
import { setTimeout as wait } from 'node:timers/promises';
import client from 'prom-client';
import { claim } from './claim.mjs';

client.collectDefaultMetrics();
const scrape = async () => {
  const text = await client.register.metrics();
  const line = (name) => new RegExp(`^nodejs_eventloop_lag_${name}_seconds (.*)$`, 'm');
  return (name) => Math.round(1_000 * Number(text.match(line(name))[1]));
};
const stall = (ms) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};
await scrape();
await wait(500);
stall(400);
await wait(500);
const first = await scrape();
await wait(50);
const second = await scrape();
const told = (seen) => `max ${seen('max')}, p99 ${seen('p99')} ms`;
claim('the first scrape after a stall of 400 ms tells it', first('max') > 350, told(first));
claim("the second, 50 ms later, doesn't", second('max') < 150, told(second));
END
cd "$work"
judge node main.mjs
