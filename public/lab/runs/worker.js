import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { systemClock } from '../../shared/clock.js';
import { createLibopusCodec } from '../../shared/stream/libopus-codec.js';
import { roomOfInvitation } from '../../ui/kit/invitation.js';
import { LiveRun, SweepRun } from './delay-run.js';
import { addProtocols } from './protocol.js';
import { RoundTripRun } from './round-trip-run.js';

/**
 * Worker for one run, since drawing would delay it in the page. Messages in: `start`, `delay`,
 * `stop`; out: the run's events, `asked` for an added protocol, and `ended` when all clients have
 * left.
 *
 * @import { Codec } from '../../shared/stream/codec.js'
 * @import { RunEvent, RunOptions } from './run.js'
 * @import { RunRequest } from './runner.js'
 *
 * @typedef {object} Port
 * @property {(message: object, transfer?: Transferable[]) => void} postMessage
 * @property {((event: MessageEvent) => void) | null} onmessage
 */

const loading = createLibopus().then((module) => createLibopusCodec(module));

const page = /** @type {Port} */ (/** @type {unknown} */ (globalThis));

/**
 * @type {Record<string, new (options: RunOptions, settings: never) => RoundTripRun | LiveRun |
 *   SweepRun>}
 */
const kinds = { 'round-trip': RoundTripRun, live: LiveRun, sweep: SweepRun };

/** @type {RoundTripRun | LiveRun | SweepRun | null} */
let run = null;

/** Makes a room's name from 64 random bits, so that nobody else has it. */
function newRoom() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(8))];
  return `lab-${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** @type {import('./protocol.js').AskPage} */
function askPage(request) {
  const { port1, port2 } = new MessageChannel();
  page.postMessage({ type: 'asked', request, port: port2 }, [port2]);
  return port1;
}

/** @param {RunRequest} request @param {Codec} codec */
async function start({ kind, origin, config, token, settings }, codec) {
  const ofToken = token === undefined ? null : roomOfInvitation(token);
  const started = new kinds[kind](
    {
      place: { origin, config, clock: systemClock, askPage },
      codec,
      newRoom: () => ofToken ?? newRoom(),
      token,
      on: (/** @type {RunEvent} */ event) => page.postMessage(event, transferOf(event)),
    },
    /** @type {never} */ (settings),
  );
  run = started;
  let problem = '';
  try {
    await addProtocols(config);
    if (!started.stopped) await started.run();
  } catch (error) {
    problem = /** @type {Error} */ (error).message;
  }
  await started.end();
  page.postMessage({ type: 'ended', problem });
}

/** @param {RunEvent} event */
const transferOf = (event) =>
  event.type === 'window' ? [event.window.sound.buffer, event.window.arrivalsMs.buffer] : [];

page.onmessage = async ({ data }) => {
  // All messages wait for the codec, which keeps them in order.
  const codec = await loading;
  if (data.type === 'start') void start(data, codec);
  if (data.type === 'delay' && run instanceof LiveRun) run.setDelay(data.serverDelayMs);
  if (data.type === 'stop') run?.close();
};
