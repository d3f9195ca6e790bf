#!/usr/bin/env bash
# HS256 with a secret shorter than the RFC demands: jose says nothing, PyJWT warns.
. "$(dirname "$0")/lib.sh"
npm_install jose@6.2.17
pip_install PyJWT==2.15.1

cat >"$work/main.mjs" <<'END'
import { execFileSync } from 'node:child_process';
import { jwtVerify, SignJWT } from 'jose';
import { claim } from './claim.mjs';

const warnings = [];
process.on('warning', (warning) => warnings.push(warning.message));
for (const length of [6, 31]) {
  const secret = new TextEncoder().encode('s'.repeat(length));
  const token = await new SignJWT({ room: 'r' }).setProtectedHeader({ alg: 'HS256' }).sign(secret);
  const { payload } = await jwtVerify(token, secret);
  claim(`jose signs and verifies with ${length} bytes`, payload.room === 'r', 'no error');
}
await new Promise(setImmediate);
claim('jose warns of nothing, though RFC 7518, 3.2, demands 32 bytes', warnings.length === 0,
  `${warnings.length} warnings`);
const program = `
import warnings, jwt
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    jwt.encode({"room": "r"}, "s" * 6, "HS256")
print(",".join(warning.category.__name__ for warning in seen))`;
const seen = execFileSync('venv/bin/python', ['-c', program]).toString().trim();
claim('PyJWT signs with 6 bytes too, with a warning', seen.includes('InsecureKeyLength'), seen);
END
cd "$work"
judge node main.mjs
