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
cd "$work"
start "$work/source.log" node source.mjs
for ((tries = 0; tries < 100; tries++)); do
  [ -s source.port ] && break
  sleep 0.1
done
[ -s source.port ] || missing "a source that starts."
port=$(free_port)
cat >icecast.xml <<END
<icecast>
  <limits><clients>20</clients><sources>5</sources><queue-size>524288</queue-size>
    <burst-on-connect>0</burst-on-connect></limits>
  <authentication><source-password>finding</source-password><admin-user>admin</admin-user>
    <admin-password>finding</admin-password></authentication>
  <hostname>localhost</hostname>
  <listen-socket><port>$port</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <relay><server>127.0.0.1</server><port>$(cat source.port)</port><mount>/plain</mount>
    <local-mount>/plain</local-mount><on-demand>0</on-demand></relay>
  <relay><server>127.0.0.1</server><port>$(cat source.port)</port><mount>/codecs</mount>
    <local-mount>/codecs</local-mount><on-demand>0</on-demand></relay>
  <paths><logdir>$work/open</logdir><webroot>/usr/share/icecast2/web</webroot>
    <adminroot>/usr/share/icecast2/admin</adminroot></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel>
  </logging>
</icecast>
END
unprivileged
start "$work/icecast.log" "${as[@]}" icecast2 -c "$work/icecast.xml"

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
