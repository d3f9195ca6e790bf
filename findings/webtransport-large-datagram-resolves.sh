#!/usr/bin/env bash
# A datagram larger than maxDatagramSize is dropped, but its write() resolves.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open, servers } from './browser.mjs';
import { claim } from './claim.mjs';

const server = servers().usual;

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  const seen = await page.evaluate(async (at) => {
    const session = connect(at, '/');
    const early = session.datagrams.maxDatagramSize;
    await session.ready;
    const lengths = [];
    const reader = session.datagrams.readable.getReader();
    const read = async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        lengths.push(new DataView(value.buffer, value.byteOffset).getUint32(0));
      }
    };
    read().catch(() => {});
    await wait(500);
    const size = session.datagrams.maxDatagramSize;
    const writer = session.datagrams.writable.getWriter();
    const outcomes = {};
    for (const bytes of [size, size + 1, 60_000]) {
      const writes = Array.from({ length: 5 }, () => writer.write(new Uint8Array(bytes)));
      const settled = await Promise.allSettled(writes);
      outcomes[bytes] = settled.filter(({ status }) => status === 'fulfilled').length;
    }
    await wait(1_000);
    const arrived = (bytes) => lengths.filter((length) => length === bytes).length;
    const result = { early, size, resolved: Object.values(outcomes),
      arrived: Object.keys(outcomes).map((bytes) => arrived(Number(bytes))) };
    session.close();
    return result;
  }, server);
  await close();
  claim(`${name}: maxDatagramSize is 1024 before ready, more afterwards`,
    seen.early === 1_024 && seen.size > 1_200, `${seen.early}, ${seen.size}`);
  claim(`${name}: 5 datagrams each of that size, a byte more, and 60 000 bytes: all writes resolve`,
    seen.resolved.every((count) => count === 5), seen.resolved);
  claim(`${name}: those of that size arrive, the others never`, seen.arrived[0] === 5 &&
    seen.arrived[1] === 0 && seen.arrived[2] === 0, seen.arrived);
}
END
cd "$work"
judge node main.mjs
