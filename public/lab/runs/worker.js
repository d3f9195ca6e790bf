import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { systemClock } from '../../shared/clock.js';
import { createLibopusCodec } from '../../shared/stream/libopus-codec.js';
import { roomOfInvitation } from '../../ui/kit/invitation.js';
import { LiveRun, SweepRun } from './delay-run.js';
import { RoundTripRun } from './round-trip-run.js';

/**
 * A worker around one run: in the page, drawing would delay it. Messages in: `start`, `delay`,
 * `stop`; out: the run's events, `peer` to have one opened, and `ended` when all clients have left.
 *
 * @typedef {object} Port
 * @property {(message: object, transfer?: Transferable[]) => void} postMessage
 * @property {((event: MessageEvent) => void) | null} onmessage
 */

const loading = createLibopus().then((module) => createLibopusCodec(module));

const page = /** @type {Port} */ (/** @type {unknown} */ (globalThis));

/**
 * @type {Record<string, new (options: any, settings: any) => RoundTripRun | LiveRun | SweepRun>}
 */
const kinds = { 'round-trip': RoundTripRun, live: LiveRun, sweep: SweepRun };

/** @type {RoundTripRun | LiveRun | SweepRun | null} */
let run = null;

/** Makes a room's name from 64 random bits, which nobody else has. */
const newRoom = () =>
  `lab-${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/** @type {import('./data-channel.js').AskPeer} */
function askPeer(url) {
  const { port1, port2 } = new MessageChannel();
  page.postMessage({ type: 'peer', url, port: port2 }, [port2]);
  return port1;
}

/**
 * @param {{ kind: string, origin: string, config: any, token?: string, settings: object }} options
 * @param {import('../../shared/stream/codec.js').Codec} codec
 */
async function start({ kind, origin, config, token, settings }, codec) {
  const ofToken = token === undefined ? null : roomOfInvitation(token);
  const started = new kinds[kind](
    {
      place: { origin, config, clock: systemClock, askPeer },
      codec,
      newRoom: () => ofToken ?? newRoom(),
      token,
      on: (/** @type {import('./run.js').RunEvent} */ event) =>
        page.postMessage(event, transferOf(event)),
    },
    settings,
  );
  run = started;
  let problem = '';
  try {
    await started.run();
  } catch (error) {
    problem = /** @type {Error} */ (error).message;
  }
  await started.end();
  page.postMessage({ type: 'ended', problem });
}

/** @param {import('./run.js').RunEvent} event */
const transferOf = (event) =>
  event.type === 'window' ? [event.window.sound.buffer, event.window.arrivalsMs.buffer] : [];

/**
 * @type {Record<string, (data: any, codec: import('../../shared/stream/codec.js').Codec) => void>}
 */
const handlers = {
  start: (options, codec) => void start(options, codec),
  delay: ({ serverDelayMs }) => {
    if (run instanceof LiveRun) run.setDelay(serverDelayMs);
  },
  stop: () => run?.close(),
};

// All messages wait for the codec, so that they keep their order.
page.onmessage = async ({ data }) => handlers[data.type]?.(data, await loading);
