#!/usr/bin/env bash
# Two SDKs of one vendor make other tokens from the same two grants.
. "$(dirname "$0")/lib.sh"
npm_install livekit-server-sdk@2.19.2 jose@6.2.17
pip_install livekit-api==1.2.2

cat >"$work/main.mjs" <<'END'
import { execFileSync } from 'node:child_process';
import { decodeJwt } from 'jose';
import { AccessToken } from 'livekit-server-sdk';
import { claim } from './claim.mjs';

const secret = 's'.repeat(32);
const token = new AccessToken('key', secret, { identity: 'ada' });
token.addGrant({ room: 'r', roomJoin: true });
const fromJs = decodeJwt(await token.toJwt());
const program = `
from livekit import api
grants = api.VideoGrants(room_join=True, room="r")
print(api.AccessToken("key", "${secret}").with_identity("ada").with_grants(grants).to_jwt())`;
const fromPython = decodeJwt(execFileSync('venv/bin/python', ['-c', program]).toString().trim());
console.log(`seen       JavaScript ${JSON.stringify(fromJs)}`);
console.log(`seen       Python     ${JSON.stringify(fromPython)}`);
claim("JavaScript names the grants that were given and no other",
  Object.keys(fromJs.video).sort().join() === 'room,roomJoin', Object.keys(fromJs.video).join());
claim('Python adds canPublish, canSubscribe and canPublishData, all true',
  ['canPublish', 'canSubscribe', 'canPublishData'].every((name) => fromPython.video[name] === true),
  Object.keys(fromPython.video).join());
claim('so an absent canPublish means "may publish"', fromJs.video.canPublish === undefined,
  String(fromJs.video.canPublish));
const life = (claims) => claims.exp - (claims.nbf ?? claims.iat);
claim('both are valid for 6 h, from a "not before" of now', life(fromJs) === life(fromPython) &&
  life(fromJs) === 21_600 && 'nbf' in fromJs && 'nbf' in fromPython,
  `${life(fromJs)} and ${life(fromPython)} s`);
claim('neither has a token id or an audience',
  [fromJs, fromPython].every((claims) => !('jti' in claims || 'aud' in claims)),
  Object.keys(fromJs).join());
END
cd "$work"
judge node main.mjs
