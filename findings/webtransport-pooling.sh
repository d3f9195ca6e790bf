#!/usr/bin/env bash
# allowPooling: true beside certificate hashes: Firefox refuses, Chromium opens and doesn't pool.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open, servers, told } from './browser.mjs';
import { claim } from './claim.mjs';

const connections = () => told().filter(({ event }) => event === 'connection').length;
const used = () => {
  const sessions = told().filter(({ event }) => event === 'session');
  return new Set(sessions.map(({ connection }) => connection)).size;
};

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  for (const allowPooling of [false, true]) {
    const before = [connections(), used()];
    const outcome = await page.evaluate(async (at, pooling) => {
      try {
        const sessions = [1, 2].map((id) => connect(at, `/${id}`, { allowPooling: pooling }));
        await Promise.all(sessions.map((session) => session.ready));
        await wait(1_000);
        sessions.forEach((session) => session.close());
        return 'open';
      } catch (error) {
        return error.name;
      }
    }, servers().usual, allowPooling);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const seen = `${outcome}; ${connections() - before[0]} connections, ${used() - before[1]} used`;
    const refuses = name === 'firefox' && allowPooling;
    claim(`${name}, allowPooling: ${allowPooling}, with certificate hashes, two sessions: ${
      refuses ? 'NotSupportedError' : 'a connection for each'}`,
    refuses ? outcome === 'NotSupportedError' : outcome === 'open' && used() - before[1] === 2,
    seen);
  }
  await close();
}
END
cd "$work"
judge node main.mjs
