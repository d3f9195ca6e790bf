#!/usr/bin/env bash
# Janus' AudioBridge decodes only 20 ms of each RTP packet, whatever its frame length is.
. "$(dirname "$0")/lib.sh"
need janus
debian janus 1.1.2-1
npm_install libopus-wasm@0.2.0

port=$(free_port)
mkdir "$work/conf"
cat >"$work/conf/janus.jcfg" <<'END'
general: { debug_level = 4 }
nat: { ice_enforce_list = "lo" }
END
others() { printf 'libjanus_%s.so,' "$@"; }
cat >>"$work/conf/janus.jcfg" <<END
plugins: { disable = "$(others duktape echotest lua nosip recordplay sip streaming textroom \
  videocall videoroom voicemail)" }
transports: { disable = "$(others mqtt nanomsg pfunix rabbitmq websockets)" }
END
cat >"$work/conf/janus.transport.http.jcfg" <<END
general: { json = "compact", base_path = "/janus", http = true, port = $port, ip = "127.0.0.1" }
admin: { admin_http = false }
END
printf 'general: { local_ip = "127.0.0.1", rtp_port_range = "20000-40000" }\n' \
  >"$work/conf/janus.plugin.audiobridge.jcfg"
start "$work/janus.log" janus -F "$work/conf" -C "$work/conf/janus.jcfg" -i 127.0.0.1
wait_for "$work/janus.log" 'HTTP webserver started|HTTP transport|webserver \(port'

cat >"$work/main.mjs" <<'END'
import { createSocket } from 'node:dgram';
import { setTimeout as wait } from 'node:timers/promises';
import { Application, createDecoder, createEncoder } from 'libopus-wasm';
import { claim } from './claim.mjs';

const base = `http://127.0.0.1:${process.argv[2]}/janus`;
let turn = 0;
async function post(path, body) {
  const response = await fetch(base + path, {
    method: 'POST', body: JSON.stringify({ transaction: String(turn++), ...body }),
  });
  return response.json();
}

async function participant(room) {
  const { data: { id: session } } = await post('', { janus: 'create' });
  const { data: { id: handle } } = await post(`/${session}`, {
    janus: 'attach', plugin: 'janus.plugin.audiobridge',
  });
  const path = `/${session}/${handle}`;
  const socket = createSocket('udp4');
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  await post(path, { janus: 'message', body: { request: 'join', room,
    rtp: { ip: '127.0.0.1', port: socket.address().port, payload_type: 100 } } });
  for (;;) {
    const event = await (await fetch(`${base}/${session}?maxev=1`)).json();
    const data = event.plugindata?.data;
    if (data?.audiobridge === 'joined') return { socket, to: data.rtp };
  }
}

function rtp(sequence, timestamp, payload) {
  const packet = Buffer.alloc(12 + payload.length);
  packet[0] = 0x80;
  packet[1] = 100;
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE(timestamp >>> 0, 4);
  packet.writeUInt32BE(7, 8);
  packet.set(payload, 12);
  return packet;
}

// Share of the time that a listener hears the sine which a speaker sends in frames of this length.
async function heard(room, frameMs) {
  const { session, handle } = await (async () => {
    const { data: { id } } = await post('', { janus: 'create' });
    const { data } = await post(`/${id}`, { janus: 'attach', plugin: 'janus.plugin.audiobridge' });
    return { session: id, handle: data.id };
  })();
  const made = await post(`/${session}/${handle}`, { janus: 'message', body: {
    request: 'create', room, sampling_rate: 48_000, allow_rtp_participants: true } });
  if (made.plugindata?.data?.error) throw new Error(made.plugindata.data.error);
  const [speaker, listener] = [await participant(room), await participant(room)];
  const decoder = await createDecoder({ channels: 1 });
  let [loud, all, counting] = [0, 0, false];
  listener.socket.on('message', (packet) => {
    const sound = decoder.decodeFloat(packet.subarray(12));
    for (let at = 0; counting && at + 48 <= sound.length; at += 48) {
      const level = sound.subarray(at, at + 48).reduce((sum, value) => sum + value * value, 0) / 48;
      all++;
      if (level > 0.003) loud++;
    }
  });
  const frame = frameMs * 48;
  const encoder = await createEncoder({ application: Application.RestrictedLowDelay, channels: 1,
    bitrate: 64_000, frameSize: frame });
  const silence = Uint8Array.of(31 << 3, 255, 254);
  const start = performance.now();
  for (let count = 0; count * frameMs < 4_000; count++) {
    const samples = Float32Array.from({ length: frame }, (_, index) =>
      0.25 * Math.sin((count * frame + index) * 0.06));
    speaker.socket.send(rtp(count, count * frame, encoder.encodeFloat(samples)),
      speaker.to.port, speaker.to.ip);
    if ((count * frameMs) % 20 === 0) {
      listener.socket.send(rtp(count, count * frame, silence), listener.to.port, listener.to.ip);
    }
    counting = count * frameMs > 1_500;
    await wait(Math.max(0, start + (count + 1) * frameMs - performance.now()));
  }
  for (const { socket } of [speaker, listener]) socket.close();
  encoder.free();
  decoder.free();
  return Math.round((100 * loud) / all);
}

let room = 5_000;
const STATED = [[20, 85, 100], [10, 25, 75], [5, 5, 40], [40, 30, 70], [60, 15, 55]];
for (const [ms, low, high] of STATED) {
  const share = await heard(room++, ms);
  claim(`frames of ${ms} ms: the sound is heard for ${low} to ${high} % of the time`,
    share >= low && share <= high, `${share} %`);
}
process.exit();
END
cd "$work"
judge node main.mjs "$port"
