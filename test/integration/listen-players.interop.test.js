/**
 * Players begin to play the link of a room where nobody speaks: each waits for some kilobytes,
 * which come slowly there.
 */

import { expect, onTestFinished } from 'vitest';
import { isThere, PROGRAMS, startProgram, stopProgram } from '../../testkit/players/programs.js';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { ofTheMachine, requireOrSkip } from '../../testkit/skip.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** Less than ffmpeg and mpv took for 2 KiB of silence, in milliseconds: 6400. */
const SOON_MS = 5000;

for (const player of PROGRAMS.filter(({ name }) => ['ffmpeg', 'mpv', 'VLC'].includes(name))) {
  const mayBeMissing = player.name === 'ffmpeg' ? undefined : ofTheMachine;
  const withPlayer = requireOrSkip(
    isThere(player),
    `${player.name} is not installed`,
    mayBeMissing,
  );
  withPlayer.it(`${player.name} plays a silent room at once, Ogg and WebM`, () =>
    playsAtOnce(player),
  );
}

/** @param {typeof PROGRAMS[number]} player */
async function playsAtOnce(player) {
  const server = await createServer(
    loadConfig({ argv: ['--port', '0', '--h3-port', '0'], env: {} }),
    { log: quiet },
  );
  onTestFinished(() => server.close());
  const silent = await join({ url: server.url, room: 'hall', name: 'Ann', hear: false });
  onTestFinished(() => silent.leave());
  for (const kind of ['ogg', 'webm']) {
    const start = performance.now();
    const child = startProgram(player, `${server.url}/listen/hall.${kind}`);
    onTestFinished(() => stopProgram(child));
    await new Promise((resolve, reject) => {
      child.stdout?.once('data', resolve);
      child.once('exit', () => reject(new Error(`${player.name} has ended`)));
    });
    expect(performance.now() - start, kind).toBeLessThan(SOON_MS);
  }
}
