import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { MeshPeers } from '../../mesh/peers.js';
import { align } from '../../../testkit/sound/signal.js';
import { meanLags, soundLags } from '../../../testkit/sound/sound-lag.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { readSpeaker, speakerFile, SPEAKERS } from '../../codec/speakers.js';
import { missing } from '../../ways/webrtc.js';
import { startServer } from '../../../testkit/aloud-server.js';
import { chromiumPath, inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { requireOrSkip } from '../../../testkit/skip.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

const lacksWebRtc = await missing();

/** Closes what a test opened. @type {(() => unknown)[]} */
const open = [];
/** Closes what the tests of a `describe` share. @type {(() => unknown)[]} */
const shared = [];

async function closeAll(closers = open) {
  for (const close of closers.splice(0).toReversed()) await close();
}
afterEach(() => closeAll());

async function temporaryFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-lab-'));
  open.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function openLabPage() {
  const { openPage } = await import('../../participants/browser-clients.js');
  const server = await startServer('--engine', 'none');
  shared.push(() => server.close());
  const { browser, close } = await openBrowser();
  shared.push(close);
  const page = await openPage(
    await browser.newContext({ bypassCSP: true }),
    `http://localhost:${server.port}`,
  );
  await page.evaluate(
    `import('/bench/participants/page-sound.js').then((sound) => void ` +
      '(globalThis.aloudSound = sound))',
  );
  return page;
}

/**
 * Runs in the page: plays speech by the lab's microphone into its recorder, with nothing between
 * them.
 * @param {{ sampleRate: number, ms: number }} options
 */
async function playThrough({ sampleRate, ms }) {
  const page = /** @type {any} */ (globalThis);
  const sound = page.aloudSound;
  const text = atob(await page.aloudSpeech());
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const speech = new Float32Array(bytes.buffer);
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' });
  await context.resume();
  const microphone = new sound.Microphone();
  const mediaStream = await microphone.open(
    speech.subarray(0, speech.length - (speech.length % (48000 / sampleRate))),
  );
  const recorder = new sound.SoundRecorder(context, ms / 1000);
  await recorder.start(
    new MediaStreamAudioSourceNode(context, { mediaStream }),
    await page.aloudProcessor,
  );
  // Without the context's word for it: its device has asked for what has just been computed.
  let renderedMs = Infinity;
  for (const endMs = performance.now() + ms; performance.now() < endMs;) {
    await new Promise((resolve) => void setTimeout(resolve, 7));
    renderedMs = Math.min(renderedMs, performance.now() - 1000 * context.currentTime);
  }
  const { samples } = recorder.take(microphone.startMs);
  const result = {
    samples: [...samples],
    startMs: sound.startOf(context),
    renderedMs: renderedMs + 1000 * context.baseLatency,
    quantumMs: 128_000 / sampleRate,
  };
  recorder.stop();
  await microphone.close();
  await context.close();
  return result;
}

inBrowser.describe("sound in the lab's page", () => {
  /** @type {import('playwright-core').Page} */
  let page;
  beforeAll(async () => {
    page = await openLabPage();
  });
  afterAll(() => closeAll(shared));

  for (const sampleRate of [8000, 48000]) {
    it(`is at known times, at ${sampleRate} Hz`, () =>
      undisturbed(async () => {
        const { samples, startMs, renderedMs, quantumMs } = await page.evaluate(playThrough, {
          sampleRate,
          ms: 6000,
        });
        expect(startMs - renderedMs).toBeGreaterThan(-5);
        // A context may have computed up to one quantum more than its device has asked for.
        expect(startMs - renderedMs).toBeLessThan(5 + quantumMs);
        const lags = soundLags(Float32Array.from(samples), await readSpeech(sampleRate), {
          sampleRate,
        });
        expect(lags.length).toBeGreaterThan(3);
        const correlations = lags.map(({ correlation }) => correlation).sort((a, b) => a - b);
        expect(correlations[correlations.length >> 1]).toBeGreaterThan(0.9);
        for (const { lagMs } of lags) {
          expect(lagMs).toBeGreaterThan(0);
          expect(lagMs).toBeLessThan(80);
        }
      }));
  }
});

const LOOPBACK = Object.freeze({ exec: [], address: '127.0.0.1' });

/** A browser with pages of a server's. @param {(() => unknown)[]} closers */
async function openClients(closers) {
  const { BrowserClients } = await import('../../participants/browser-clients.js');
  const server = await startServer('--engine', 'none');
  closers.push(() => server.close());
  const clients = await BrowserClients.start({
    chromium: String(chromiumPath),
    client: LOOPBACK,
    server: LOOPBACK,
  });
  closers.push(() => clients.close());
  await clients.call('open', { origin: `http://localhost:${server.port}` });
  return clients;
}

inBrowser.describe("a browser's microphone", () => {
  it('says the file that was set before it was opened', () =>
    undisturbed(
      async () => {
        const clients = await openClients(open);
        const voices = await Promise.all(
          SPEAKERS.slice(0, 2).map((name) => readSpeaker(name, 48_000)),
        );
        for (const i of voices.keys()) {
          await clients.say(speakerFile(SPEAKERS[i]));
          await clients.call('listen', {
            id: 'mouth',
            room: 'tea',
            transport: 'websocket',
            speaks: false,
            device: true,
            loops: 1,
            recordSeconds: 10,
          });
          await new Promise((resolve) => void setTimeout(resolve, 3000));
          const {
            loops: [{ samples }],
          } = await clients.call('recording', { id: 'mouth' });
          await clients.call('stopListening', { id: 'mouth' });
          const piece = Float32Array.from(samples).subarray(48_000, 2 * 48_000);
          const likeness = voices.map((one) => align(piece, one).correlation);
          expect(likeness[i]).toBeGreaterThan(0.9);
          expect(likeness[1 - i]).toBeLessThan(0.7);
        }
      },
      () => closeAll(),
    ));
});

inBrowser.describe("a page's uplink", () => {
  it('has the congestion controller that was asked for, by the NetLog', () =>
    undisturbed(
      async () => {
        const { BrowserClients } = await import('../../participants/browser-clients.js');
        const { controllerArguments, controllersIn } =
          await import('../../participants/net-log.js');
        const server = await startServer();
        open.push(() => server.close());
        const file = join(await temporaryFolder(), 'net-log.json');
        const clients = await BrowserClients.start({
          chromium: String(chromiumPath),
          client: LOOPBACK,
          server: LOOPBACK,
          more: controllerArguments('newreno', file),
        });
        open.push(() => clients.close());
        await clients.call('open', { origin: `http://localhost:${server.port}` });
        await clients.call('listen', {
          id: 'mouth',
          room: 'tea',
          transport: 'webtransport',
          speaks: false,
          device: true,
          recordSeconds: 1,
        });
        await clients.call('stopListening', { id: 'mouth' });
        await clients.close();
        expect(controllersIn(await readFile(file, 'utf8'))).toEqual(['RENO_BYTES']);
      },
      () => closeAll(),
    ));
});

// Comes last, when the lab's command beside it has ended: peers of a busy machine connect late.
inBrowser.describe("participants by the browser's WebRTC", () => {
  /** @type {Awaited<ReturnType<typeof openClients>>} */
  let clients;
  beforeAll(async () => {
    clients = await openClients(shared);
  });
  afterAll(() => closeAll(shared));

  // A test that failed early has no ear.
  const stopListening = () =>
    Promise.allSettled(['mouth', 'ear'].map((id) => clients.call('stopListening', { id })));
  afterEach(stopListening);

  it('hear each other', () =>
    undisturbed(async () => {
      for (const id of ['mouth', 'ear'])
        await clients.call('listen', {
          id,
          isPeer: true,
          recordSeconds: 10,
          loops: 1,
          notesFrames: true,
        });
      const offer = await clients.call('signal', { id: 'mouth', description: null });
      const answer = await clients.call('signal', { id: 'ear', description: offer });
      expect(await clients.call('signal', { id: 'mouth', description: answer })).toBe(null);
      await new Promise((resolve) => void setTimeout(resolve, 4000));
      const [mouth, ear] = await Promise.all(
        ['mouth', 'ear'].map((id) => clients.call('recording', { id })),
      );
      expect(meanLags(ear, mouth.loops).length).toBeGreaterThan(2);
      expect(await clients.call('statsOf', { id: 'ear' })).toMatchObject({
        codec: 'audio/opus',
        totalSamplesReceived: expect.toSatisfy((samples) => samples > 96_000),
      });
      // One machine's clock: nothing comes before it was sent, and what comes has the timestamp of
      // what was sent.
      const sent = new Map(
        mouth.frames.sent.map((/** @type {any} */ { timestamp, atMs }) => [timestamp, atMs]),
      );
      const ages = ear.frames.received.flatMap((/** @type {any} */ { timestamp, atMs }) =>
        sent.has(timestamp) ? [atMs - sent.get(timestamp)] : [],
      );
      expect(ages.length).toBeGreaterThan(100);
      expect(Math.min(...ages)).toBeGreaterThan(-1);
      expect(
        ages.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b)[
          ages.length >> 1
        ],
      ).toBeLessThan(20);
    }, stopListening));

  requireOrSkip(lacksWebRtc === null, String(lacksWebRtc)).it(
    'hear each other through a forwarder',
    () =>
      undisturbed(async () => {
        /** @type {MeshPeers} */
        const peers = new MeshPeers((packet, from) => peers.send(packet, from));
        try {
          for (const id of ['mouth', 'ear']) {
            await clients.call('listen', { id, isPeer: true, recordSeconds: 10, loops: 1 });
            const { sdp: offer } = await clients.call('signal', { id, description: null });
            const sdp = await peers.answer({ from: id, host: '127.0.0.1', offer });
            expect(await clients.call('signal', { id, description: { type: 'answer', sdp } })).toBe(
              null,
            );
          }
          await new Promise((resolve) => void setTimeout(resolve, 4000));
          const [mouth, ear] = await Promise.all(
            ['mouth', 'ear'].map((id) => clients.call('recording', { id })),
          );
          expect(meanLags(ear, mouth.loops).length).toBeGreaterThan(2);
          expect(await clients.call('statsOf', { id: 'ear' })).toMatchObject({
            codec: 'audio/opus',
            totalSamplesReceived: expect.toSatisfy((samples) => samples > 96_000),
          });
        } finally {
          await peers.close();
        }
      }, stopListening),
  );
});
