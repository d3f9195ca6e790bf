import { expect, it } from 'vitest';
import { wasDisturbed } from '../../report/marks.js';
import { Lab, transportsHere } from '../../scenarios/lab.js';

/** A lab without a link, whose folder keeps its warnings and has a clock that stands still. */
function labOf() {
  /** @type {string[]} */
  const warnings = [];
  /** @type {import('../../report/result.js').Generator[]} */
  const told = [];
  const folder = /** @type {any} */ ({
    elapsedMs: 0,
    warn: (/** @type {string} */ warning) => warnings.push(warning),
    setGenerator: (/** @type {any} */ generator) => told.push(generator),
  });
  const lab = new Lab({
    options: /** @type {any} */ ({}),
    link: /** @type {any} */ ({}),
    folder,
    progress: () => {},
    signal: new AbortController().signal,
    startClients: () => /** @type {any} */ ({}),
  });
  return { lab, folder, warnings, told };
}

const punctual = new Array(1000).fill(0.5);

it('a generator that was late in one block of many makes the run a disturbed one', () => {
  const { lab, warnings, told } = labOf();
  for (let block = 0; block < 10; block++) lab.tellGenerator(punctual, 20);
  expect(warnings).toEqual([]);
  // Two seconds of a hundred, at fifty packets a second.
  lab.tellGenerator([...punctual.slice(20), ...new Array(20).fill(40)], 20);
  expect(told.at(-1)).toMatchObject({ bottleneck: false });
  expect(wasDisturbed(warnings)).toBe(true);
  expect(warnings).toEqual([
    'Disturbed: during the run the load generator sent more than 10 ms late (p99) in a part of it.',
  ]);
});

it('one late packet of a short block is no disturbance', () => {
  const { lab, warnings } = labOf();
  lab.tellGenerator([...new Array(50).fill(0.5), 40], 20);
  lab.tellGenerator([], 20);
  expect(warnings).toEqual([]);
});

it('repeated blocks take a tenth of the told time at most, and the warnings say so', () => {
  const { lab, folder, warnings } = labOf();
  lab.toldSeconds = 400;
  /** Fails a block of some seconds. */
  const failed = (/** @type {number} */ seconds) => {
    const fromMs = folder.elapsedMs;
    folder.elapsedMs += 1000 * seconds;
    return lab.mayRepeat(fromMs);
  };
  expect([failed(15), failed(15)]).toEqual([true, true]);
  expect(warnings).toEqual([]);
  // A shorter one still has its time.
  expect([failed(15), failed(10), failed(1)]).toEqual([false, true, false]);
  expect(warnings[0]).toBe(
    'Some blocks that did not count were not measured again: repeats take at most 10 % of the ' +
      'time that the run told.',
  );
});

it('the first repeated block of a run is measured however short the run is', () => {
  const { lab, folder } = labOf();
  lab.toldSeconds = 20;
  folder.elapsedMs = 15_000;
  expect([lab.mayRepeat(0), lab.mayRepeat(0)]).toEqual([true, false]);
});

it('a transport that the machine lacks is left out by name, unless nothing is left', () => {
  /** @type {string[]} */
  const warnings = [];
  const here = (/** @type {any[]} */ transports, hasEngine = false) =>
    transportsHere(transports, (warning) => warnings.push(warning), hasEngine);
  expect(here(['webtransport', 'http1'], true)).toEqual(['webtransport', 'http1']);
  expect(here(['websocket', 'http1'])).toEqual(['websocket', 'http1']);
  // Alone, it is what the run is about: the server says that it lacks it.
  expect(here(['webtransport'])).toEqual(['webtransport']);
  expect(warnings).toEqual([]);
  expect(here(['webtransport', 'http1'])).toEqual(['http1']);
  expect(warnings).toEqual(['Left out: webtransport. The native engine is not built.']);
});
