/**
 * A call of two whole clients over WebTransport, and the figures of their speech.
 * @import { Lab } from '../scenarios/lab.js'
 * @import { SpeakerFigures } from '../stats/call-figures.js'
 *
 * @typedef {object} CallRun
 * @property {SpeakerFigures[]} speakers
 * @property {{ atMs: number, delayMs: number }[]} delays  D over time, from the begin on
 * @property {{ id: string, playoutMs: number }[]} playout the clients' own, at the end
 * @property {number[]} tickLatenessMs
 * @property {number} serverCpuPercent
 * @property {number} clientsCpuPercent
 */

import { callFigures, delaysOf } from '../stats/call-figures.js';

const TALKERS = Object.freeze(['A', 'B']);

/**
 * The microphone gives samples as an AudioWorklet does, 128 at a time, as near as a timer comes to
 * that.
 */
const PERIOD_MS = 2.5;

/** Time for the last packets to arrive and be played, in seconds. */
const GRACE_SECONDS = 1.5;

/**
 * @param {Lab} lab one whose server was started with what mixes do noted
 * @param {{ settleSeconds: number, seconds: number, progress?: (share: number) => void }} options
 * @returns {Promise<CallRun>}
 */
export async function runCall(lab, { settleSeconds, seconds, progress = () => {} }) {
  for (const id of TALKERS) {
    await lab.clients.call('listen', {
      id,
      transport: 'webtransport',
      room: 'call',
      speaks: true,
      recordSeconds: 0,
      periodMs: PERIOD_MS,
    });
  }
  await wait(lab, settleSeconds, (passed) => progress(passed / (settleSeconds + seconds)));
  await lab.server.call('begin');
  await lab.clients.call('noteWires');
  const startMs = lab.folder.elapsedMs;
  await wait(lab, seconds, (passed) =>
    progress((settleSeconds + passed) / (settleSeconds + seconds)),
  );
  await lab.wait(GRACE_SECONDS);
  const { people, cpuPercent } = await lab.clients.call('takeWires');
  const server = await lab.server.call('collect');
  const { frameMs } = await lab.format();
  for (const id of TALKERS) await lab.clients.call('stopListening', { id });
  lab.tellGenerator([], cpuPercent);
  const fromMs = server.due[0].atMs;
  const speakers = callFigures({ people, server, frameMs, fromMs, toMs: fromMs + seconds * 1000 });
  const delays = delaysOf(server.due, server.originMs, frameMs).map(({ atMs, delayMs }) => ({
    atMs: startMs + atMs - fromMs,
    delayMs,
  }));
  const playout = people.map((/** @type {any} */ { id, stats }) => ({
    id,
    playoutMs: stats?.detail.playout.delayMs ?? NaN,
  }));
  return {
    speakers,
    delays,
    playout,
    tickLatenessMs: server.tickLatenessMs,
    serverCpuPercent: server.cpuPercent,
    clientsCpuPercent: cpuPercent,
  };
}

/** @param {Lab} lab @param {number} seconds @param {(passed: number) => void} tell */
async function wait(lab, seconds, tell) {
  for (let passed = 0; passed < seconds; passed += 1) {
    tell(passed);
    await lab.wait(Math.min(1, seconds - passed));
  }
}
