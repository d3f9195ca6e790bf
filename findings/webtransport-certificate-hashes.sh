#!/usr/bin/env bash
# `serverCertificateHashes` accepts two curves, but neither Ed25519 nor RSA, in both browsers.
. "$(dirname "$0")/lib.sh"
webtransport_pieces
webtransport_server '{
  "days14": { "lasts": 1209600 }, "days14and60s": { "lasts": 1209660 },
  "future": { "starts_in": 300 },
  "p384": { "kind": "p384" }, "rsa": { "kind": "rsa" }, "ed25519": { "kind": "ed25519" } }'

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open, servers } from './browser.mjs';
import { claim } from './claim.mjs';

const EXPECTED = {
  days14: true,
  days14and60s: false,
  future: false,
  p384: true,
  rsa: false,
  ed25519: false,
};

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  for (const [kind, server] of Object.entries(servers())) {
    const opens = await page.evaluate(async (at) => {
      const session = connect(at, '/');
      session.closed.catch(() => {});
      const ready = session.ready.then(() => true, () => false);
      const result = await Promise.race([ready, wait(10_000)]);
      if (result) session.close();
      return result ?? null;
    }, server);
    claim(`${name}, ${kind}: ${EXPECTED[kind] ? 'accepted' : 'refused'}`,
      opens === EXPECTED[kind], opens);
  }
  await close();
}
END
cd "$work"
judge node main.mjs
