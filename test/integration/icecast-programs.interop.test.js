/** Real programs send to a room as to an Icecast server. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ofTheMachine, requireOrSkip } from '../../testkit/skip.js';
import { hear, openStreamRoom } from '../support/stream-room.js';
import { toneIn } from '../support/tone.js';

const TONE_HZ = 1000;
const AMPLITUDE = 0.25;
const LEVEL_DB = 20 * Math.log10(AMPLITUDE / Math.SQRT2);

/** @param {string} name @param {string} content */
function fileOf(name, content) {
  const directory = mkdtempSync(joinPath(tmpdir(), 'aloud-stream-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = joinPath(directory, name);
  writeFileSync(file, content);
  return file;
}

/**
 * Programs, each with the command that sends a tone, and the title that it gives.
 * @type {{ command: string, title: string | undefined,
 *   argsOf: (port: number, key: string) => string[] }[]}
 */
const PROGRAMS = [
  {
    command: 'ffmpeg',
    title: 'Ann - A tone',
    argsOf: (port, key) => [
      ...['-nostdin', '-v', 'error', '-re', '-f', 'lavfi'],
      // The sine has an amplitude of an eighth.
      ...['-i', `sine=frequency=${TONE_HZ}:sample_rate=48000:duration=60,volume=2`],
      ...['-metadata', 'title=A tone', '-metadata', 'artist=Ann', '-c:a', 'libopus', '-f', 'ogg'],
      ...['-ice_name', 'Radio', '-content_type', 'audio/ogg'],
      `icecast://source:${key}@127.0.0.1:${port}/listen/tea`,
    ],
  },
  {
    command: 'gst-launch-1.0',
    title: undefined,
    argsOf: (port, key) =>
      [
        `audiotestsrc is-live=true freq=${TONE_HZ} volume=${AMPLITUDE}`,
        'audioconvert ! audioresample ! opusenc',
        'oggmux max-delay=200000000 max-page-delay=200000000',
        `shout2send ip=127.0.0.1 port=${port} mount=/listen/tea username=source password=${key} ` +
          'streamname=Radio',
      ]
        .join(' ! ')
        .split(' '),
  },
  {
    command: 'liquidsoap',
    title: 'Ann - A tone',
    argsOf: (port, key) => [
      fileOf(
        'radio.liq',
        `settings.init.allow_root.set(true)
tone = sine(amplitude=${AMPLITUDE}, ${TONE_HZ}.)
tags = fun(_) -> [("title", "A tone"), ("artist", "Ann")]
tone = metadata.map(insert_missing=true, tags, tone)
output.icecast(%opus(bitrate=96, samplerate=48000, channels=2), host="127.0.0.1", port=${port},
  password="${key}", mount="/listen/tea", name="Radio", fallible=true, tone)
`,
      ),
    ],
  },
];

for (const { command, title, argsOf } of PROGRAMS) {
  const isThere = spawnSync('which', [command]).status === 0;
  const program = requireOrSkip(isThere, `${command} is not installed`, ofTheMachine);
  program.it(`${command} is heard in a room`, async () => {
    const { server, ann, key } = await openStreamRoom();
    const child = spawn(command, argsOf(server.port, key), { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect
      .poll(() => ann.people.at(-1), { timeout: 20_000 })
      .toMatchObject({ name: 'Radio', transport: 'icecast' });
    const sound = (await hear(ann, 8)).subarray(5 * ann.sampleRate);
    const { hz, level, gaps } = toneIn(sound, ann.sampleRate);
    // Liquidsoap's own clock is a little off.
    expect(Math.abs(hz - TONE_HZ)).toBeLessThan(3);
    expect(Math.abs(level - LEVEL_DB)).toBeLessThan(1);
    expect(gaps).toBe(0);
    expect(ann.people.at(-1)?.title || undefined).toBe(title);
  });
}
