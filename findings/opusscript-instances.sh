#!/usr/bin/env bash
# opusscript: from the 80th codec of a process on, the first use of one fails.
. "$(dirname "$0")/lib.sh"
npm_install opusscript@0.1.1

cat >"$work/main.mjs" <<'END'
import OpusScript from 'opusscript';
import { claim } from './claim.mjs';

const kept = [];
let error = null;
while (error === null && kept.length < 300) {
  try {
    const codec = new OpusScript(48_000, 1, OpusScript.Application.RESTRICTED_LOWDELAY);
    kept.push(codec);
    codec.decode(codec.encode(Buffer.alloc(1_920), 960));
  } catch (raised) {
    error = raised;
  }
}
claim('using new codecs of one channel ends with an error below 100', error !== null &&
  kept.length > 50 && kept.length < 100, `the ${kept.length}th: ${error}`);
kept.forEach((codec) => codec.delete());
END
cd "$work"
judge node main.mjs
