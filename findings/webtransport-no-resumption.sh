#!/usr/bin/env bash
# No browser resumes its TLS session at the next WebTransport connection, though it has a ticket.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/client.py" <<'END'
# A client of the same library, to show that the server does resume.
import asyncio
import ssl
import sys

from aioquic.asyncio import connect
from aioquic.quic.configuration import QuicConfiguration


async def main():
    kept = []
    for _ in range(2):
        configuration = QuicConfiguration(alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE)
        if kept:
            configuration.session_ticket = kept[-1]
        async with connect(
            "127.0.0.1", int(sys.argv[1]), configuration=configuration,
            session_ticket_handler=kept.append,
        ) as client:
            await client.ping()
            await asyncio.sleep(0.5)


asyncio.run(main())
END
cat >"$work/main.mjs" <<'END'
import { execFileSync } from 'node:child_process';
import { BROWSERS, open, servers, told } from './browser.mjs';
import { claim } from './claim.mjs';

const server = servers().usual;
const handshakes = (from) =>
  told().slice(from).filter(({ event }) => event === 'handshake').map(({ resumed }) => resumed);

const before = told().length;
execFileSync('venv/bin/python', ['client.py', String(server.port)]);
claim('a client that keeps its ticket is resumed by this server', handshakes(before).join() ===
  'false,true', handshakes(before).join());
for (const name of BROWSERS) {
  const from = told().length;
  const { page, close } = await open(name);
  await page.evaluate(async (at) => {
    for (let count = 0; count < 3; count++) {
      const session = connect(at, '/');
      await session.ready;
      await wait(1_000);
      session.close();
      await wait(500);
    }
  }, server);
  await close();
  const seen = handshakes(from);
  claim(`${name}: of three sessions in a row none is resumed`, seen.length >= 3 &&
    !seen.includes(true), seen.join());
}
END
cd "$work"
judge node main.mjs
