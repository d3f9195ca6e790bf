#!/usr/bin/env bash
# node-datachannel gives a track for media whose port is 0 in the offer, before that of other media.
. "$(dirname "$0")/lib.sh"
npm_install node-datachannel@0.33.4

cat >"$work/main.mjs" <<'END'
import nodeDataChannel from 'node-datachannel';
import { claim } from './claim.mjs';

const { PeerConnection } = nodeDataChannel;
const options = { iceServers: [], disableAutoNegotiation: true, forceMediaTransport: true };
const transport = [
  'a=ice-ufrag:abcd', 'a=ice-pwd:abcdefghijklmnopqrstuvwx', 'a=setup:actpass',
  `a=fingerprint:sha-256 ${Array(32).fill('AB').join(':')}`,
];
const offer = [
  'v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 1',
  'm=video 0 UDP/TLS/RTP/SAVPF 96', 'c=IN IP4 0.0.0.0', 'a=mid:0', 'a=rtpmap:96 VP8/90000',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111', 'c=IN IP4 0.0.0.0', 'a=mid:1', 'a=rtcp-mux', 'a=sendonly',
  'a=rtpmap:111 opus/48000/2', ...transport, '',
].join('\r\n');

const peer = new PeerConnection('answers', options);
const tracks = [];
peer.onTrack((track) => tracks.push(track));
const gathered = new Promise((resolve) =>
  peer.onGatheringStateChange((state) => state === 'complete' && resolve()));
peer.setRemoteDescription(offer, 'offer');
peer.setLocalDescription('answer');
await gathered;
const told = tracks.map((track) => `${track.type()} ${track.mid()}`).join(', ');
claim('video of port 0 has a track, and the first', told === 'video 0, audio 1', told);
const media = peer.localDescription().sdp.match(/^m=\w+ \d+/gm);
claim('the answer refuses it', media[0] === 'm=video 0' && !media[1].endsWith(' 0'),
  media.join(', '));
for (const track of tracks) track.close();
peer.close();

nodeDataChannel.cleanup();
END
cd "$work"
judge node main.mjs
