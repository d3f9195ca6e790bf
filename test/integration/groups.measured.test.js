import { isBuilt } from '@aloud/native';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { moderate } from '../../public/client/call/moderate.js';
import { Headless } from '../../testkit/participants/headless.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { toneDb } from '../support/tone.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const codec = await loadCodec('libopus-wasm');
const RATE = 48_000;

/** Everybody's tone, in Hz: far enough apart, and none a harmonic of another. */
const TONES = Object.freeze({ ann: 410, bob: 730, cid: 1170, dan: 1910, eve: 2870 });
/** @typedef {keyof typeof TONES} Name */

/** Level from which a tone is heard, in dBFS; it is sent at −20. */
const HEARD = -45;

/** @type {(() => Promise<unknown>)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(closeAll);

/** A second of a tone, in whole waves. @param {number} hz */
const tone = (hz) =>
  Float32Array.from({ length: RATE }, (_, i) => 0.1 * Math.sin((2 * Math.PI * hz * i) / RATE));

/** @param {string[]} argv */
async function startServer(...argv) {
  const given = ['--port', '0', '--h3-port', '0', '--no-silence-suppression', ...argv];
  const server = await createServer(loadConfig({ argv: given, env: {} }), { log: quiet });
  open.push(() => server.close());
  return server;
}

/**
 * @param {string} url
 * @param {string} name
 * @param {string} transport
 * @param {{ listen?: boolean }} [wishes]
 */
async function joined(url, name, transport, wishes) {
  const hz = TONES[/** @type {Name} */ (name)];
  const headless = new Headless({ codec, speech: hz && tone(hz), recordSeconds: 120 });
  open.push(() => headless.close());
  await headless.join(
    /** @type {any} */ ({
      origin: url,
      room: 'school',
      name,
      transport,
      silenceSuppression: false,
      ...wishes,
    }),
  );
  return headless;
}

/** Names of the people whose tone somebody has heard lately. @param {Headless} listener */
function hears(listener) {
  const { recording, recorded } = listener;
  const last = recording.subarray(recorded - RATE / 2, recorded - RATE / 10);
  return Object.entries(TONES)
    .filter(([, hz]) => toneDb(last, hz, RATE) > HEARD)
    .map(([name]) => name);
}

/** @param {Record<string, Headless>} people */
const allHear = (people) =>
  Object.fromEntries(Object.entries(people).map(([name, one]) => [name, hears(one).join(' ')]));

/** Expects that everybody hears these before long, and nobody else from then on. */
async function expectHeard(
  /** @type {Record<string, Headless>} */ people,
  /** @type {Record<string, string>} */ heard,
) {
  await vi.waitFor(() => expect(allHear(people)).toEqual(heard), { interval: 100 });
  await pause(700);
  // Sound of a busy machine may have gaps, but never somebody of another group.
  for (const [name, list] of Object.entries(allHear(people)))
    expect([name, heard[name]]).toEqual([
      name,
      expect.toSatisfy((/** @type {string} */ all) =>
        list.split(' ').every((one) => all.includes(one)),
      ),
    ]);
}

/** @param {Headless} headless @param {string} type */
const last = ({ controls }, type) => controls.findLast((message) => message.type === type);

describe.each(['mix', 'forward'])('groups of a room in mode %s, by their sound', (mode) => {
  it('keep it to themselves, hear a moderator who speaks to all, and come back', () =>
    undisturbed(async () => {
      const server = await startServer('--mode', mode);
      const { url } = server;
      const first = isBuilt() ? 'webtransport' : 'websocket';
      const ann = await joined(url, 'ann', first);
      const people = {
        ann,
        bob: await joined(url, 'bob', first),
        cid: await joined(url, 'cid', 'websocket'),
        // A forwarding room admits nobody over HTTP/1.
        dan: await joined(url, 'dan', mode === 'mix' ? 'http1' : first),
        eve: await joined(url, 'eve', 'websocket'),
      };
      await expectHeard(people, {
        ann: 'bob cid dan eve',
        bob: 'ann cid dan eve',
        cid: 'ann bob dan eve',
        dan: 'ann bob cid eve',
        eve: 'ann bob cid dan',
      });

      ann.sendControl(moderate.groups(2, true));
      await expectHeard(people, { ann: '', bob: 'dan', cid: 'eve', dan: 'bob', eve: 'cid' });

      ann.sendControl(moderate.speakToGroups(true));
      await expectHeard(people, {
        ann: '',
        bob: 'ann dan',
        cid: 'ann eve',
        dan: 'ann bob',
        eve: 'ann cid',
      });
      ann.sendControl(moderate.speakToGroups(false));

      const eve = people.eve.people.find(({ you }) => you)?.id ?? '';
      ann.sendControl(moderate.group(eve, 1));
      await expectHeard(people, {
        ann: '',
        bob: 'dan eve',
        cid: '',
        dan: 'bob eve',
        eve: 'bob dan',
      });

      // Somebody who isn't a moderator changes nothing.
      people.bob.sendControl(moderate.callBack());
      await vi.waitFor(() => expect(last(people.bob, 'refused')?.code).toBe('not-allowed'));

      ann.sendControl(moderate.callBack(2));
      await vi.waitFor(() => expect(last(people.cid, 'room')?.groups?.secondsLeft).toBe(2));
      expect(hears(people.cid)).toEqual([]);
      await expectHeard(people, {
        ann: 'bob cid dan eve',
        bob: 'ann cid dan eve',
        cid: 'ann bob dan eve',
        dan: 'ann bob cid eve',
        eve: 'ann bob cid dan',
      });
    }, closeAll));
});

describe('a language of a broadcast, by its sound', () => {
  it('is an interpreter over the softer speaker, and the floor is without them', () =>
    undisturbed(async () => {
      const { url } = await startServer('--broadcast');
      const transport = isBuilt() ? 'webtransport' : 'websocket';
      const ann = await joined(url, 'ann', transport);
      ann.sendControl(moderate.broadcast(false));
      const bob = await joined(url, 'bob', transport);
      ann.sendControl(moderate.broadcast(true));
      const lea = await joined(url, 'lea', transport, { listen: true });
      const max = await joined(url, 'max', 'websocket', { listen: true });
      const levels = (/** @type {Headless} */ { recording, recorded }) =>
        [TONES.ann, TONES.bob].map((hz) =>
          toneDb(recording.subarray(recorded - RATE, recorded - RATE / 5), hz, RATE),
        );
      // Both are heard at first.
      await vi.waitFor(
        () => {
          for (const level of [...levels(lea), ...levels(max)]) expect(level).toBeGreaterThan(-24);
        },
        { timeout: 10_000, interval: 100 },
      );

      const interpreter = bob.people.find(({ you }) => you)?.id ?? '';
      ann.sendControl(moderate.interpret(interpreter, 'es'));
      await vi.waitFor(() => expect(last(lea, 'room')?.languages).toEqual(['es']));
      lea.sendControl({ type: 'language', language: 'es' });
      const expectInterpreted = () => {
        const [[floor, interpreted], [own, none]] = [levels(lea), levels(max)];
        expect(interpreted).toBeGreaterThan(-23);
        // The floor is 15 dB softer for her, and he hears it alone.
        expect(interpreted - floor).toBeGreaterThan(13);
        expect(interpreted - floor).toBeLessThan(17);
        expect(own).toBeGreaterThan(-23);
        expect(none).toBeLessThan(-60);
        // The interpreter hears the floor, and speakers don't hear the interpreter.
        expect(levels(bob)[0]).toBeGreaterThan(-24);
        expect(levels(ann)[1]).toBeLessThan(-60);
      };
      // A tone cancels itself where the playout delay changes within the window.
      const soon = { timeout: 10_000, interval: 100 };
      await vi.waitFor(expectInterpreted, soon);
      await pause(700);
      await vi.waitFor(expectInterpreted, soon);

      lea.sendControl({ type: 'language', language: 'not a language' });
      await vi.waitFor(() => expect(last(lea, 'refused')?.code).toBe('language-unknown'));
      ann.sendControl(moderate.interpret(interpreter, null));
      await vi.waitFor(
        () => {
          for (const level of [...levels(lea), ...levels(max)]) expect(level).toBeGreaterThan(-24);
        },
        { timeout: 10_000, interval: 100 },
      );
    }, closeAll));
});
