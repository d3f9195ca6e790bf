import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { align, alignPieces } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { allowRecorder, recordWholly } from '../support/recording.js';
import { joinRoom, nextStats } from '../support/room-page.js';
import { useSite } from '../support/site.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** @import { Page } from 'playwright-core' */

const PER_MS = 48;
/** Silence for as long as joining takes, and until what it held up is over. */
const LEAD_MS = 6000;

/** The smallest move of the sound that its highest tones show, in milliseconds. */
const LEAST_MOVE_MS = 0.2;

/** A piece with a lower correlation was heard in part only. */
const LEAST_CORRELATION = 0.7;

const { channels } = await readWav(
  new URL('../../../testkit/speech/speech-low.wav', import.meta.url),
);
const [speech] = channels;
const spoken = new Float32Array(LEAD_MS * PER_MS + speech.length);
spoken.set(speech, LEAD_MS * PER_MS);

/** @param {Page} listener @param {Page} speaker both reports of changes to the sound */
async function figuresOf(listener, speaker) {
  const [{ playout, client }, { uplink, server }] = await Promise.all([
    nextStats(listener),
    nextStats(speaker),
  ]);
  // The server's, of what the speaker sent.
  const { concealed, late } = /** @type {{ concealed: number, late: number }} */ (
    /** @type {unknown} */ (server)
  );
  const missing = playout.concealed + playout.late + concealed + late;
  return { movedMs: playout.movedMs + uplink.movedMs, gapMs: client.gapMs, missing };
}

/** @param {Float32Array} output the heard sound */
function compare(output) {
  const { lag, correlation } = align(speech, output);
  const pieces = alignPieces(speech, output, lag, {
    pieceSamples: 400 * PER_MS,
    searchSamples: 100 * PER_MS,
  });
  const clear = pieces.filter((piece) => piece.correlation >= LEAST_CORRELATION);
  const lags = clear.map((piece) => piece.lag / PER_MS);
  return {
    correlation,
    spreadMs: Math.max(...lags) - Math.min(...lags),
    clear: clear.length / pieces.length,
  };
}

/** @param {string[]} argv the server's options */
const staysWhereItIs = (argv) => () => {
  const site = useSite(argv);

  /** One speaks, one listens. */
  const converse = async () => {
    const mouth = await openBrowser({ speech: spoken });
    try {
      const visit = /** @type {const} */ ({
        name: 'Lis',
        transport: 'webtransport',
        prepare: allowRecorder,
      });
      const listener = await site.join('steady', visit);
      const heard = await recordWholly(listener);
      const speaker = await joinRoom(mouth.browser, site.url, 'steady', {
        name: 'Spe',
        transport: 'webtransport',
      });
      await sleep(LEAD_MS - 1500);
      const before = await figuresOf(listener, speaker);
      await sleep(speech.length / PER_MS + 1500);
      const after = await figuresOf(listener, speaker);
      const output = await heard();
      await site.closePages();
      const moved = after.movedMs - before.movedMs;
      const gapMs = after.gapMs - before.gapMs;
      const missing = after.missing - before.missing;
      return { ...compare(output), moved, gapMs, missing };
    } finally {
      await mouth.close();
    }
  };

  inBrowser.it(
    'stays where it is from the first word to the last',
    () =>
      undisturbed(
        async () => {
          const call = await converse();
          // Sound that came late was left out, or the client moved and said so: nothing else may
          // move it.
          expect(call.spreadMs).toBeLessThan(1 + call.moved);
          expect(call.clear).toBeGreaterThan(0.8);
          if (call.moved < LEAST_MOVE_MS && call.gapMs === 0 && call.missing === 0) {
            expect(call.correlation).toBeGreaterThanOrEqual(0.9);
          } else {
            console.info(
              'Chromium was held up, and the client moved the sound:',
              JSON.stringify(call),
            );
          }
        },
        () => site.closePages(),
      ),
    240_000,
  );
};

inBrowser.describe(
  'what is heard in Chromium with a delay that is fixed',
  staysWhereItIs(['--server-delay-ms', '40']),
);
inBrowser.describe('what is heard in Chromium with a delay that tunes itself', staysWhereItIs([]));
