#!/usr/bin/env bash
# outgoingMaxAge alone gives up nothing: after a stall Chromium sends datagrams that are seconds old,
# unless outgoingHighWaterMark, 1 by default, is as high as what waits. Firefox loses them whatever is
# set.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/main.mjs" <<'END'
import { createSocket } from 'node:dgram';
import { BROWSERS, open, servers, told } from './browser.mjs';
import { claim } from './claim.mjs';

const server = servers().usual;

// A forwarder that drops everything while `stalled`.
async function forwarder() {
  const near = createSocket('udp4');
  const state = { stalled: false, port: 0, close: () => {} };
  const ups = new Map();
  near.on('message', (bytes, { port }) => {
    if (state.stalled) return;
    if (!ups.has(port)) {
      const up = createSocket('udp4');
      up.on('message', (back) => {
        if (!state.stalled) near.send(back, port, '127.0.0.1');
      });
      ups.set(port, up);
    }
    ups.get(port).send(bytes, server.port, '127.0.0.1');
  });
  await new Promise((resolve) => near.bind(0, '127.0.0.1', resolve));
  state.port = near.address().port;
  state.close = () => {
    near.close();
    for (const up of ups.values()) up.close();
  };
  return state;
}

for (const name of BROWSERS) {
  for (const [age, mark] of [[200, null], [null, null], [200, 4_096]]) {
    const path = await forwarder();
    const lines = told().length;
    const { page, close } = await open(name);
    await page.exposeFunction('setStalled', (value) => {
      path.stalled = value;
    });
    const seen = await page.evaluate(async (at, maxAge, most) => {
      const session = connect(at, '/');
      await session.ready;
      if (maxAge !== null) session.datagrams.outgoingMaxAge = maxAge;
      if (most !== null) session.datagrams.outgoingHighWaterMark = most;
      const writer = session.datagrams.writable.getWriter();
      const times = [];
      const send = async (ms) => {
        for (let start = performance.now(); performance.now() - start < ms; await wait(10)) {
          for (let more = 0; more < 5; more++) {
            const datagram = new Uint8Array(1_000);
            new DataView(datagram.buffer).setUint32(0, times.length);
            times.push(performance.now());
            writer.write(datagram).catch(() => {});
          }
        }
      };
      await send(500);
      const first = times.length;
      await setStalled(true);
      await send(2_000);
      const end = performance.now();
      await setStalled(false);
      await wait(6_000);
      session.close();
      return { first, ages: times.map((time) => Math.round(end - time)) };
    }, { ...server, port: path.port }, age, mark);
    const arrived = told().slice(lines).filter(({ event, number }) =>
      event === 'datagram' && number >= seen.first);
    const written = seen.ages.length - seen.first;
    const oldest = Math.max(0, ...arrived.map(({ number }) => seen.ages[number]));
    const result = `${arrived.length} of ${written}, the oldest was ${oldest} ms old at its end`;
    const subject = `${name}, outgoingMaxAge ${age}, outgoingHighWaterMark ${mark ?? 'default'}, ` +
      'stalled for 2 s: of the datagrams in it';
    if (name === 'chromium' && mark !== null) {
      claim(`${subject} fewer than a third come out, none older than 500 ms`,
        arrived.length < written / 3 && oldest < 500, result);
    } else if (name === 'chromium') {
      claim(`${subject} more than half come out, older than 500 ms`,
        arrived.length > written / 2 && oldest > 500, result);
    } else claim(`${subject} next to none come out`, arrived.length < written / 10, result);
    await close();
    path.close();
  }
}
END
cd "$work"
judge node main.mjs
