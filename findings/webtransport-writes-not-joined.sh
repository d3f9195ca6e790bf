#!/usr/bin/env bash
# Datagrams that a page writes in one task leave it in a packet each, small as they are.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/main.mjs" <<'END'
import { createSocket } from 'node:dgram';
import { BROWSERS, open, servers, told } from './browser.mjs';
import { claim } from './claim.mjs';

const server = servers().usual;

for (const name of BROWSERS) {
  // A forwarder that notes the length of each packet from the page.
  const lengths = [];
  const [near, up] = [createSocket('udp4'), createSocket('udp4')];
  let peer = 0;
  near.on('message', (bytes, { port }) => {
    peer = port;
    lengths.push(bytes.length);
    up.send(bytes, server.port, '127.0.0.1');
  });
  up.on('message', (bytes) => near.send(bytes, peer, '127.0.0.1'));
  await new Promise((resolve) => near.bind(0, '127.0.0.1', resolve));
  const { page, close } = await open(name);
  await page.exposeFunction('lengthsBefore', () => lengths.length);
  const before = await page.evaluate(async (at) => {
    const session = connect(at, '/');
    await session.ready;
    const writer = session.datagrams.writable.getWriter();
    await wait(1_000);
    const first = await lengthsBefore();
    for (let turn = 0; turn < 40; turn++) {
      for (let count = 0; count < 3; count++) writer.write(new Uint8Array(160));
      await wait(50);
    }
    await wait(500);
    return first;
  }, { ...server, port: near.address().port });
  const packets = lengths.slice(before);
  const single = packets.filter((length) => length > 160 && length < 300).length;
  const joined = packets.filter((length) => length >= 320).length;
  const seen = `${single} packets with one datagram, ${joined} with more, for 120 datagrams`;
  if (name === 'chromium') claim('chromium: one datagram in each packet', single >= 115 &&
    joined === 0, seen);
  else claim('firefox: most go alone, some in twos or threes', single > 60, seen);
  await close();
  near.close();
  up.close();
}
END
cd "$work"
judge node main.mjs
