#!/usr/bin/env bash
# After a stall a data channel that sends nothing again brings what waited unsent, a second old and
# more. In Chromium a lifetime gives that up; in libdatachannel it doesn't.
. "$(dirname "$0")/lib.sh"
browser_pieces node-datachannel@0.33.4

cat >"$work/main.mjs" <<'END'
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import nodeDataChannel from 'node-datachannel';
import { open } from './browser.mjs';
import { claim } from './claim.mjs';

// Two peers' path, which loses everything while it is stalled.
async function makePath() {
  const ends = [createSocket('udp4'), createSocket('udp4')];
  const path = { stalled: false, ports: [], peers: [0, 0], close: () => ends.map((e) => e.close()) };
  for (const [i, end] of ends.entries()) {
    end.on('message', (bytes) => {
      const to = path.peers[1 - i];
      if (to && !path.stalled) ends[1 - i].send(bytes, to, '127.0.0.1');
    });
    end.bind(0, '127.0.0.1');
    await once(end, 'listening');
    path.ports.push(end.address().port);
  }
  // Takes a peer's address out of its description, and puts the path's in.
  path.through = (i, sdp) => {
    path.peers[i] = Number(/^a=candidate:\S+ 1 udp \d+ 127\.0\.0\.1 (\d+)/im.exec(sdp)[1]);
    const lines = sdp.replace(/^a=(candidate|end-of-candidates).*\r\n/gm, '');
    return `${lines}a=candidate:1 1 udp 2122317823 127.0.0.1 ${path.ports[1 - i]} typ host\r\n`;
  };
  return path;
}

// 50 messages of 80 bytes a second: for 1 s, for 2 s of a stall, and for 2 s after it. The age of
// each in ms, or null where it didn't come.
async function byLibdatachannel(settings, path) {
  const options = { iceServers: [], bindAddress: '127.0.0.1', disableAutoNegotiation: true };
  const { PeerConnection } = nodeDataChannel;
  const [near, far] = [new PeerConnection('near', options), new PeerConnection('far', options)];
  const describe = async (peer, type) => {
    const gathered = new Promise((resolve) =>
      peer.onGatheringStateChange((state) => state === 'complete' && resolve()));
    peer.setLocalDescription(type);
    await gathered;
    return peer.localDescription().sdp;
  };
  const sent = [];
  const ages = [];
  const received = [];
  far.onDataChannel((channel) => {
    received.push(channel);
    channel.onMessage((bytes) => {
      const number = bytes.readUInt32BE();
      ages[number] = performance.now() - sent[number];
    });
  });
  const channel = near.createDataChannel('sound', settings);
  const opened = new Promise((resolve) => channel.onOpen(resolve));
  far.setRemoteDescription(path.through(0, await describe(near, 'offer')), 'offer');
  near.setRemoteDescription(path.through(1, await describe(far, 'answer')), 'answer');
  await opened;
  for (let number = 0; number < 250; number++) {
    path.stalled = number >= 50 && number < 150;
    const bytes = Buffer.alloc(80);
    bytes.writeUInt32BE(number);
    sent.push(performance.now());
    channel.sendMessageBinary(bytes);
    await wait(20);
  }
  await wait(6_000);
  near.close();
  far.close();
  return sent.map((_, number) => ages[number] ?? null);
}

const { page, close } = await open('chromium', [
  '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream',
  '--allow-loopback-in-peer-connection',
]);
let current;
await page.exposeFunction('through', (i, sdp) => current.through(i, sdp));
await page.exposeFunction('setStalled', (stalled) => {
  current.stalled = stalled;
});

async function byChromium(settings, path) {
  current = path;
  return page.evaluate(async ({ ordered, ...limits }) => {
    // A page that may hear a microphone is told addresses.
    await navigator.mediaDevices.getUserMedia({ audio: true });
    const [near, far] = [new RTCPeerConnection(), new RTCPeerConnection()];
    const describe = async (peer) => {
      const gathered = new Promise((resolve) => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
      });
      await peer.setLocalDescription();
      await gathered;
      return peer.localDescription.sdp;
    };
    const sent = [];
    const ages = [];
    far.ondatachannel = ({ channel }) => {
      channel.binaryType = 'arraybuffer';
      channel.onmessage = ({ data }) => {
        const number = new DataView(data).getUint32(0);
        ages[number] = performance.now() - sent[number];
      };
    };
    const channel = near.createDataChannel('sound', { ordered, ...limits });
    const opened = new Promise((resolve) => {
      channel.onopen = resolve;
    });
    const offer = await describe(near);
    await far.setRemoteDescription({ type: 'offer', sdp: await through(0, offer) });
    const answer = await describe(far);
    await near.setRemoteDescription({ type: 'answer', sdp: await through(1, answer) });
    await opened;
    for (let number = 0; number < 250; number++) {
      if (number === 50 || number === 150) await setStalled(number === 50);
      const bytes = new Uint8Array(80);
      new DataView(bytes.buffer).setUint32(0, number);
      sent.push(performance.now());
      channel.send(bytes);
      await wait(20);
    }
    await wait(6_000);
    near.close();
    far.close();
    return sent.map((_, number) => ages[number] ?? null);
  }, settings);
}

for (const [name, ages] of [['libdatachannel', byLibdatachannel], ['Chromium', byChromium]]) {
  for (const [limit, value] of [['maxRetransmits', 0], ['maxPacketLifeTime', 200]]) {
    const path = await makePath();
    const all = await ages({ unordered: true, ordered: false, [limit]: value }, path);
    path.close();
    const inStall = all.slice(50, 150).filter((age) => age !== null);
    const oldestMs = Math.round(Math.max(0, ...inStall));
    const told = `${inStall.length} of 100 came, up to ${oldestMs} ms old`;
    if (limit === 'maxRetransmits')
      claim(`${name}: without retransmissions what was sent in a stall of 2 s comes after it`,
        inStall.length > 20 && oldestMs > 700, told);
    else if (name === 'Chromium')
      claim(`${name}: a lifetime of 200 ms gives it up`, oldestMs < 400, told);
    else claim(`${name}: a lifetime of 200 ms doesn't`, oldestMs > 700, told);
  }
}
await close();
nodeDataChannel.cleanup();
END
cd "$work"
judge node main.mjs
