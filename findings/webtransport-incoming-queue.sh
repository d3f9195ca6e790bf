#!/usr/bin/env bash
# What waits unread in a page isn't bounded by incomingHighWaterMark alike: Chromium keeps one
# datagram by default and the newest N when told, Firefox keeps all whatever it is told.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open, servers } from './browser.mjs';
import { claim } from './claim.mjs';

const server = servers().usual;

const read = (page, mark, busy) => page.evaluate(async (at, highWaterMark, isBusy) => {
  const session = connect(at, '/send/200/5/100');
  await session.ready;
  const initial = session.datagrams.incomingHighWaterMark;
  if (highWaterMark !== null) session.datagrams.incomingHighWaterMark = highWaterMark;
  const reader = session.datagrams.readable.getReader();
  const numbers = [];
  const first = reader.read();
  const take = ({ value }) =>
    numbers.push(new DataView(value.buffer, value.byteOffset).getUint32(0));
  if (isBusy) {
    take(await first);
    const end = performance.now() + 3_000;
    while (performance.now() < end);
  } else {
    take(await first);
    await wait(3_000);
  }
  for (;;) {
    const next = await Promise.race([reader.read(), wait(1_000)]);
    if (next === undefined) break;
    take(next);
  }
  session.close();
  return { initial, numbers };
}, server, mark, busy);

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  const told = ({ numbers, initial }) =>
    `${numbers.length} of 200, ${numbers[1]} to ${numbers.at(-1)}, mark at first ${initial}`;
  const usual = await read(page, null, false);
  const marked = await read(page, 10, false);
  const busy = await read(page, 10, true);
  if (name === 'chromium') {
    claim('chromium, not read for 3 s: only the newest is left', usual.numbers.length <= 3 &&
      usual.numbers.at(-1) === 199, told(usual));
    claim('chromium, with a mark of 10: the newest 10', marked.numbers.length <= 13 &&
      marked.numbers.length >= 10 && marked.numbers.at(-1) === 199, told(marked));
  } else {
    claim('firefox, not read for 3 s: all are there', usual.numbers.length === 200, told(usual));
    claim('firefox, with a mark of 10: all too', marked.numbers.length === 200, told(marked));
  }
  claim(`${name}, page busy for 3 s with a mark of 10: more than the mark are there afterwards`,
    busy.numbers.length > 100, told(busy));
  await close();
}
END
cd "$work"
judge node main.mjs
