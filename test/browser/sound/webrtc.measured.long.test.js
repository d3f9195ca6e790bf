/** Pages without WebTransport send to a room by WHIP and hear it by WHEP. */

import { expect, onTestFinished } from 'vitest';
import { inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { undisturbed } from '../../../testkit/undisturbed.js';
import { requireOrSkip } from '../../../testkit/skip.js';
import { hear, openStreamRoom } from '../../support/stream-room.js';
import { toneIn } from '../../support/tone.js';

const TONE_HZ = 1000;
const AMPLITUDE = 0.25;
const LEVEL_DB = 20 * Math.log10(AMPLITUDE / Math.SQRT2);

const hasLibrary = await import('node-datachannel').then(
  () => true,
  () => false,
);

/**
 * Runs in the page: sends a tone by WHIP.
 * @param {{ url: string, key: string, hz: number, gain: number }} options
 */
async function publish({ url, key, hz, gain }) {
  const context = new AudioContext({ sampleRate: 48_000 });
  const tone = new OscillatorNode(context, { frequency: hz });
  const out = context.createMediaStreamDestination();
  tone.connect(new GainNode(context, { gain })).connect(out);
  tone.start();
  // A program such as OBS offers video, too. Here the sound shares the video's transport.
  const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
  peer.addTransceiver('video', { direction: 'sendonly' });
  peer.addTransceiver(out.stream.getAudioTracks()[0], { direction: 'sendonly' });
  await peer.setLocalDescription();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sdp', Authorization: `Bearer ${key}` },
    body: peer.localDescription?.sdp,
  });
  const sdp = await response.text();
  const location = response.headers.get('location') ?? '';
  if (response.status === 201) await peer.setRemoteDescription({ type: 'answer', sdp });
  Object.assign(window, { peer, session: new URL(location, url).href });
  return { status: response.status, location, sdp };
}

/**
 * Runs in the page: hears a room by WHEP.
 * @param {{ url: string, seconds: number }} options
 */
async function subscribe({ url, seconds }) {
  // A player of any stream asks for video, too.
  const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
  peer.addTransceiver('video', { direction: 'recvonly' });
  peer.addTransceiver('audio', { direction: 'recvonly' });
  const heard = new Promise((/** @type {(track: MediaStreamTrack) => void} */ resolve) => {
    peer.ontrack = ({ track }) => resolve(track);
  });
  await peer.setLocalDescription();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sdp' },
    body: peer.localDescription?.sdp,
  });
  if (response.status !== 201) return { status: response.status, samples: [] };
  await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
  const track = await heard;
  const stream = new MediaStream([track]);
  // Chromium plays a remote track into Web Audio only beside an element.
  const audio = new Audio();
  audio.muted = true;
  audio.srcObject = stream;
  await audio.play();
  const context = new AudioContext({ sampleRate: 48_000 });
  const processor = context.createScriptProcessor(4096, 1, 1);
  context.createMediaStreamSource(stream).connect(processor);
  processor.connect(context.destination);
  /** @type {number[]} */
  const samples = [];
  await new Promise((/** @type {(value: void) => void} */ resolve) => {
    processor.onaudioprocess = ({ inputBuffer }) => {
      samples.push(...inputBuffer.getChannelData(0));
      if (samples.length >= seconds * 48_000) resolve();
    };
  });
  peer.close();
  await context.close();
  return { status: 201, samples };
}

async function openPage() {
  const { browser, close } = await openBrowser();
  onTestFinished(close);
  return (await browser.newContext()).newPage();
}

const withLibrary = requireOrSkip(hasLibrary, 'node-datachannel is not installed');

inBrowser.describe('WebRTC', () => {
  withLibrary.it('brings a page’s sound to the stage by WHIP, until it is deleted', async () => {
    const { server, ann, key } = await openStreamRoom('--webrtc');
    const page = await openPage();
    await page.goto(`${server.url}/error.html`);
    const url = `${server.url}/whip/tea?name=OBS`;
    const options = { url, key, hz: TONE_HZ, gain: AMPLITUDE };
    expect((await page.evaluate(publish, { ...options, key: 'wrong' })).status).toBe(401);
    const { status, location, sdp } = await page.evaluate(publish, options);
    expect(status).toBe(201);
    expect(location).toMatch(/^\/whip\/tea\/[\w-]{22}$/);
    expect(sdp).toMatch(/^m=video 9 .*a=inactive\r\n.*^m=audio /ms);
    expect(sdp).toMatch(/stereo=1/);
    await expect.poll(() => ann.people.at(-1)).toMatchObject({ name: 'OBS', transport: 'whip' });
    await undisturbed(async () => {
      const { hz, level, gaps } = toneIn((await hear(ann, 6)).subarray(4 * 48_000), 48_000);
      expect(Math.abs(hz - TONE_HZ)).toBeLessThan(3);
      expect(Math.abs(level - LEVEL_DB)).toBeLessThan(1);
      expect(gaps).toBe(0);
    });
    expect((await page.evaluate(publish, options)).status).toBe(409);
    const session = new URL(location, server.url);
    expect((await fetch(session, { method: 'PATCH' })).status).toBe(405);
    expect((await fetch(session, { method: 'DELETE' })).status).toBe(200);
    await expect.poll(() => ann.people.length).toBe(1);
    expect((await fetch(session, { method: 'DELETE' })).status).toBe(404);
  });

  withLibrary.it('lets a page hear a worker’s room by WHEP', async () => {
    const { server, ann } = await openStreamRoom(
      '--webrtc',
      '--workers',
      '1',
      '--host',
      '127.0.0.1',
    );
    const page = await openPage();
    await page.goto(`${server.url}/error.html`);
    const tone = Float32Array.from(
      { length: 60 * 48_000 },
      (_, i) => AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * i) / 48_000),
    );
    void ann.say(tone).catch(() => {});
    await undisturbed(async () => {
      const { status, samples } = await page.evaluate(subscribe, {
        url: `${server.url}/whep/tea`,
        seconds: 5,
      });
      expect(status).toBe(201);
      const { hz, level } = toneIn(Float32Array.from(samples).subarray(3 * 48_000), 48_000);
      expect(Math.abs(hz - TONE_HZ)).toBeLessThan(3);
      expect(Math.abs(level - LEVEL_DB)).toBeLessThan(1.5);
    });
    await expect.poll(() => ann.audience).toBe(0);
  });
});
