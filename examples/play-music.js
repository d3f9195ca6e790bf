/**
 * A bot that plays a sound file in a room repeatedly, and announces it:
 *
 *     node examples/play-music.js http://localhost:8080/r/tea music.wav
 */

import { basename } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { join, readSound } from 'aloud/client';

/** @param {string} url the room's link @param {string} file */
export async function playMusic(url, file) {
  const call = await join({ url, name: 'Jukebox', music: true, hear: false });
  const { sampleRate, channels } = call;
  const play = async () => {
    for (;;) {
      for await (const piece of readSound(file, { sampleRate, channels, gain: 0.5 })) {
        if (call.state === 'ended') return;
        await call.say(piece);
      }
    }
  };
  call.chat(`This is ${basename(file)}.`);
  return { call, playing: play() };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (argv.length !== 4) {
    console.error('Usage: node examples/play-music.js LINK FILE');
    exit(2);
  }
  const { playing } = await playMusic(argv[2], argv[3]);
  await playing;
}
