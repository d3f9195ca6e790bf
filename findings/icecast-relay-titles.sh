#!/usr/bin/env bash
# Icecast's relay asks for titles between the bytes of Ogg, and loses the pages around them.
. "$(dirname "$0")/lib.sh"
need icecast2 node
debian icecast2 2.4.4-4+b1
npm_install libopus-wasm@0.2.0

cat >"$work/source.mjs" <<'END'
// An endless Ogg Opus stream, with a block of metadata behind each 4 000 bytes if that is asked for.
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { clickPackets } from './click.mjs';
import { oggOpus } from './ogg.mjs';

const INTERVAL = 4000;
const text = Buffer.from("StreamTitle='A title between';".padEnd(32, '\0'));
const block = Buffer.concat([Buffer.of(text.length / 16), text]);
const whole = oggOpus(await clickPackets(60, 48_000, 120), 960, { preSkip: 120, inPage: 10 });
const server = createServer((request, response) => {
  const asks = request.headers['icy-metadata'] === '1';
  writeFileSync('asked', `${request.headers['user-agent']}: ${asks}`);
  response.writeHead(200, { 'content-type': 'audio/ogg', ...(asks && { 'icy-metaint': INTERVAL }) });
  let at = 0;
  const timer = setInterval(() => {
    if (at >= whole.length) return;
    response.write(whole.subarray(at, at + INTERVAL));
    if (asks && at + INTERVAL < whole.length) response.write(block);
    at += INTERVAL;
  }, 200);
  response.on('close', () => clearInterval(timer));
});
server.listen(0, '127.0.0.1', () => writeFileSync('source.port', String(server.address().port)));
END
icecast_relay /plain

cd "$work"
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { claim } from './claim.mjs';

await wait(1_500);
const response = await fetch(`http://127.0.0.1:${process.argv[2]}/plain`);
const reader = response.body.getReader();
const parts = [];
const end = Date.now() + 3_000;
while (Date.now() < end) {
  const next = await Promise.race([reader.read(), wait(3_000)]);
  if (!next || next.done) break;
  parts.push(Buffer.from(next.value));
}
await reader.cancel();
const bytes = Buffer.concat(parts);
const asked = readFileSync('asked', 'utf8');
claim('the relay asks for metadata', asked.startsWith('Icecast') && asked.endsWith('true'), asked);
const numbers = [];
for (let at = bytes.indexOf('OggS'); at >= 0; at = bytes.indexOf('OggS', at + 4))
  numbers.push(bytes.readUInt32LE(at + 18));
const gaps = numbers.slice(3).filter((number, i) => number !== numbers[i + 2] + 1).length;
claim('pages are missing for its listeners, where the blocks were', gaps > 0,
  `${bytes.length} bytes, ${numbers.length} pages with ${gaps} gaps in their numbers`);
END
judge node main.mjs "$port"
