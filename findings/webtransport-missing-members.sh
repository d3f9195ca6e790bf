#!/usr/bin/env bash
# Members of the WebTransport specification that two current browsers lack, or only pretend to have.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open, servers } from './browser.mjs';
import { claim } from './claim.mjs';

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  const seen = await page.evaluate(async (at) => {
    const session = connect(at, '/drain', { congestionControl: 'low-latency' });
    await session.ready;
    const { datagrams } = session;
    let stats = 'not there';
    if ('getStats' in session) {
      stats = await session.getStats().then(() => 'resolves', (error) => `rejects: ${error.name}`);
    }
    let draining = 'draining' in session ? 'pending' : 'not there';
    session.draining?.then(() => (draining = 'resolved'));
    await wait(2_000);
    const writer = datagrams.writable.getWriter();
    await writer.write(new Uint8Array(33));
    const reader = datagrams.readable.getReader();
    const { value } = await Promise.race([reader.read(), wait(2_000).then(() => ({}))]);
    let byob = 'works';
    reader.releaseLock();
    try {
      datagrams.readable.getReader({ mode: 'byob' });
    } catch (error) {
      byob = error.name;
    }
    const result = { writable: 'writable' in datagrams,
      createWritable: 'createWritable' in datagrams,
      control: String(session.congestionControl), reliability: String(session.reliability), stats,
      draining, answer: value?.at(-1) ?? null, byob };
    session.close();
    return result;
  }, servers().usual);
  await close();
  const isFirefox = name === 'firefox';
  claim(`${name}: datagrams has writable, but not createWritable()`,
    seen.writable && !seen.createWritable, `${seen.writable}, ${seen.createWritable}`);
  claim(`${name}: congestionControl after 'low-latency' reads`,
    seen.control === (isFirefox ? 'default' : 'undefined'), seen.control);
  claim(`${name}: getStats()`, isFirefox ? seen.stats.startsWith('rejects')
    : seen.stats === 'not there', seen.stats);
  claim(`${name}: draining, 1.5 s after WT_DRAIN_SESSION`, seen.draining !== 'resolved',
    seen.draining);
  claim(`${name}: the session goes on after WT_DRAIN_SESSION`, seen.answer === 33, seen.answer);
  claim(`${name}: a BYOB reader of datagrams`, seen.byob === (isFirefox ? 'TypeError' : 'works'),
    seen.byob);
}
END
cd "$work"
judge node main.mjs
