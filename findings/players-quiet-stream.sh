#!/usr/bin/env bash
# A live Ogg Opus stream of silence begins 6 s late in players, unless its header fills 2 KiB.
. "$(dirname "$0")/lib.sh"
need ffmpeg gst-launch-1.0 cvlc node
debian ffmpeg 7:5.1.9-0+deb12u1
debian gstreamer1.0-tools 1.22.0-2+deb12u1
debian vlc-bin 3.0.24-0+deb12u1
unprivileged

cat >"$work/main.mjs" <<'END'
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { claim } from './claim.mjs';
import { oggOpus } from './ogg.mjs';

// Silence in pages of 200 ms, as they become due: 335 bytes a second.
const SILENCE = Array.from({ length: 1500 }, () => Buffer.from([0xf8, 0xff, 0xfe]));
const server = createServer((request, response) => {
  const [, padding, isFile] = /^\/(\d+)(-file)?/.exec(request.url);
  const whole = oggOpus(SILENCE, 960, { preSkip: 312, inPage: 10, padding: Number(padding) });
  const pages = whole.toString('latin1').split(/(?=OggS)/)
    .map((page) => Buffer.from(page, 'latin1'));
  response.writeHead(200, { 'content-type': 'audio/ogg' });
  for (const page of pages.splice(0, isFile ? 150 : 2)) response.write(page);
  const timer = setInterval(() => {
    if (pages.length > 0) response.write(pages.shift());
  }, 200);
  response.on('close', () => clearInterval(timer));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const samples = 'audio/x-raw,format=S16LE';
const vlcOut = ':sout=#transcode{acodec=s16l}:std{access=file,mux=wav,dst=-}';
const PLAYERS = {
  ffmpeg: (url) => ['ffmpeg', '-v', 'error', '-i', url, '-f', 's16le', '-'],
  GStreamer: (url) => ['gst-launch-1.0', '-q', 'souphttpsrc', `location=${url}`, '!', 'decodebin',
    '!', 'audioconvert', '!', samples, '!', 'fdsink', 'fd=1'],
  VLC: (url) => [...process.argv.slice(2), 'cvlc', '-q', '-I', 'dummy', url, vlcOut],
};

// Seconds until the first samples; 11 where there are none by then.
function begins(player, padding) {
  const url = `http://127.0.0.1:${server.address().port}/${padding}`;
  const [command, ...options] = PLAYERS[player](url);
  const start = performance.now();
  const child = spawn(command, options, { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    const end = (seconds) => {
      child.kill('SIGKILL');
      clearTimeout(timer);
      resolve(seconds);
    };
    const timer = setTimeout(() => end(11), 11_000);
    child.stdout.once('data', () => end((performance.now() - start) / 1000));
  });
}

for (const player of ['ffmpeg', 'GStreamer']) {
  const [bare, padded] = [await begins(player, 0), await begins(player, 2048)];
  claim(`${player} waits for 2 KiB`, bare > 4, `${bare.toFixed(1)} s`);
  claim(`${player} begins at once with 2 KiB of padding in the comments`, padded < 3,
    `${padded.toFixed(1)} s`);
}
const [live, file] = [await begins('VLC', 2048), await begins('VLC', '2048-file')];
claim('VLC does not begin within 10 s, for it takes 4 KiB at a time', live > 10,
  `${live.toFixed(1)} s`);
claim('VLC begins at once where the same sound comes at once', file < 5, `${file.toFixed(1)} s`);
server.close();
server.closeAllConnections();
END
cd "$work"
judge node main.mjs "${as[@]}"
