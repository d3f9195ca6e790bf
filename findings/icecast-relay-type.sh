#!/usr/bin/env bash
# Icecast's relay of an Ogg stream: with "; codecs=opus" in its type, late listeners get no headers.
. "$(dirname "$0")/lib.sh"
need icecast2 node
debian icecast2 2.4.4-4+b1
npm_install libopus-wasm@0.2.0

cat >"$work/source.mjs" <<'END'
// An endless Ogg Opus stream under two names: its type is given with and without a parameter.
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { clickPackets } from './click.mjs';
import { oggOpus } from './ogg.mjs';

const whole = oggOpus(await clickPackets(30, 48_000, 120), 960, { preSkip: 120, inPage: 10 });
const pages = [];
for (let at = 0; at < whole.length; ) {
  const next = whole.indexOf('OggS', at + 4);
  pages.push(whole.subarray(at, next < 0 ? whole.length : next));
  at = next < 0 ? whole.length : next;
}
const server = createServer((request, response) => {
  const type = request.url === '/plain' ? 'audio/ogg' : 'audio/ogg; codecs=opus';
  response.writeHead(200, { 'content-type': type });
  let number = 0;
  for (; number < 2; number++) response.write(pages[number]);
  const timer = setInterval(() => {
    if (number < pages.length) response.write(pages[number++]);
  }, 200);
  response.on('close', () => clearInterval(timer));
});
server.listen(0, '127.0.0.1', () => writeFileSync('source.port', String(server.address().port)));
END
icecast_relay /plain /codecs

cd "$work"
cat >main.mjs <<'END'
import { setTimeout as wait } from 'node:timers/promises';
import { claim } from './claim.mjs';

const base = `http://127.0.0.1:${process.argv[2]}`;
await wait(5_000);
for (const [mount, has] of [['/plain', true], ['/codecs', false]]) {
  const response = await fetch(base + mount);
  const reader = response.body.getReader();
  const parts = [];
  const end = Date.now() + 2_000;
  while (Date.now() < end) {
    const next = await Promise.race([reader.read(), wait(2_000)]);
    if (!next || next.done) break;
    parts.push(Buffer.from(next.value));
  }
  await reader.cancel();
  const bytes = Buffer.concat(parts);
  const type = response.headers.get('content-type');
  const pages = `${bytes.includes('OpusHead') ? 'with' : 'without'} header pages`;
  const seen = `${response.status} ${type}, ${bytes.length} bytes, ${pages}`;
  claim(`a listener who comes after 5 s to ${mount} gets ${has ? 'the' : 'no'} header pages`,
    response.status === 200 && bytes.length > 0 && bytes.includes('OpusHead') === has, seen);
}
END
judge node main.mjs "$port"
