import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readVoices } from '../../scenarios/comparisons/heard.js';
import { scenarios } from '../../scenarios/index.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import { FrameFile, framesOf } from '../../ways/frames.js';
import { heardFrom } from '../../ways/heard.js';

const FRAMES = 150;

/** @param {(frame: number) => number} ageOf */
async function fatesOf(ageOf) {
  const voice = (await readVoices())(0);
  const ages = Array.from({ length: FRAMES }, (_, frame) => ageOf(frame));
  return framesOf(heardFrom({ ...voice, ages }), ages, [0.5]);
}

it.each(['sweep', 'cpu', 'loaded', 'parallel', 'controllers', 'mixed'])(
  '%s keeps it where that is asked for',
  (name) => {
    const scenario = /** @type {import('../../scenarios/scenario.js').Scenario} */ (
      scenarios.find((one) => one.name === name)
    );
    expect(scenarioCommand(scenario).parse(['--frames'], { from: 'user' }).opts()).toMatchObject({
      frames: true,
    });
  },
);

describe('what became of each frame', () => {
  it('is that it was present, heard after its age and wait, and like the original', async () => {
    const frames = await fatesOf(() => 30);
    const later = frames.slice(20);
    expect(later.every(({ played }) => played === 'present')).toBe(true);
    for (const { frame, heardMs } of later)
      expect(heardMs - 20 * (frame + 1)).toBeGreaterThanOrEqual(30);
    const likeness = later
      .map(({ correlation }) => correlation)
      .filter((value) => !Number.isNaN(value))
      .sort((a, b) => a - b);
    expect(likeness.length).toBeGreaterThan(50);
    expect(likeness[Math.floor(likeness.length / 2)]).toBeGreaterThan(0.9);
    expect(frames[0].sentMs).toBe(20.5);
    expect(frames[9].sentMs).toBe(200);
  });

  it('is that it was made up where it never came', async () => {
    const frames = await fatesOf((frame) => (frame % 10 === 5 ? Infinity : 30));
    const [lost, came] = [true, false].map((isLost) =>
      frames.slice(30).filter(({ frame }) => (frame % 10 === 5) === isLost),
    );
    expect(lost.map(({ played }) => played)).not.toContain('present');
    expect(lost.filter(({ played }) => played === 'concealed').length).toBeGreaterThan(
      lost.length / 2,
    );
    expect(came.filter(({ played }) => played === 'present').length).toBe(came.length);
    expect(lost.every(({ ageMs }) => ageMs === Infinity)).toBe(true);
  });
});

it('the file has a row for each frame, up to its bound', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-frames-'));
  try {
    const file = await FrameFile.open(folder, 3);
    const block = { way: 'datagrams', sweep: 'loss', value: 5, repetition: 1 };
    const fate = (/** @type {number} */ frame) =>
      /** @type {const} */ ({
        frame,
        sentMs: 20 * frame,
        ageMs: frame === 1 ? Infinity : 1.23456,
        played: frame === 1 ? 'left out' : 'present',
        heardMs: frame === 1 ? NaN : 70,
        correlation: frame === 1 ? NaN : 0.9,
      });
    expect(await file.append(block, [fate(0), fate(1)])).toBe(true);
    expect(await file.append({ ...block, call: 'call 2' }, [fate(2), fate(3)])).toBe(false);
    expect(await file.append(block, [fate(4)])).toBe(false);
    expect((await readFile(join(folder, 'frames.csv'), 'utf8')).trim().split('\n')).toEqual([
      'way,sweep,at,repetition,call,frame,sentMs,ageMs,played,heardMs,correlation',
      'datagrams,loss,5,1,,0,0.000,1.235,present,70.000,0.900',
      'datagrams,loss,5,1,,1,20.000,,left out,,',
      'datagrams,loss,5,1,call 2,2,40.000,1.235,present,70.000,0.900',
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
