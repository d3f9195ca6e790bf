import { describe, expect, it } from 'vitest';
import { Chapters, MAX_CHAPTERS } from '../../../server/recording/chapters.js';
import { MAX_PEAKS, Peaks } from '../../../server/recording/recording.js';

const FRAMES = 50;

/**
 * @param {Chapters} chapters
 * @param {string} id
 * @param {number} from in seconds
 * @param {number} to
 */
function speaks(chapters, id, from, to, label = id) {
  for (let frame = from * FRAMES; frame < to * FRAMES; frame++)
    chapters.heard(id, label, frame, 30);
}

describe('chapters', () => {
  it('tell who spoke when, with pauses and overlaps, and ignore coughs and noise', () => {
    const chapters = new Chapters(0.02);
    speaks(chapters, 'ada', 0, 3);
    speaks(chapters, 'ada', 4, 5);
    speaks(chapters, 'ben', 4.5, 8);
    speaks(chapters, 'cleo', 9, 9.5);
    for (let frame = 0; frame < 1000; frame++) chapters.heard('noise', 'noise', frame, 60);
    speaks(chapters, 'ada', 12, 14);
    expect(chapters.list().map(({ id, from, to }) => [id, from, to].join(' '))).toEqual([
      'ada 0 5',
      'ben 4.5 8',
      'ada 12 14',
    ]);
    chapters.forget('ada');
    expect(chapters.list().map(({ id }) => id)).toEqual(['ben']);
  });

  it('are WebVTT, whatever people are called', () => {
    const chapters = new Chapters(0.02);
    speaks(chapters, 'a', 0, 2, 'A <b> & "c"\n\n--> d');
    speaks(chapters, 'b', 3723, 3725);
    expect(chapters.toVtt()).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n<v A &lt;b&gt; &amp; "c" --&gt; d>A ' +
        '&lt;b&gt; &amp; "c" --&gt; d</v>\n' +
        '\n01:02:03.000 --> 01:02:05.000\n<v b>b</v>\n',
    );
  });

  it('are bounded in number, however long people take turns', () => {
    const chapters = new Chapters(0.02);
    for (let turn = 0; turn < 4 * MAX_CHAPTERS; turn++)
      speaks(chapters, `p${turn % 7}`, 3 * turn, 3 * turn + 1.5);
    const list = chapters.list();
    expect(list.length).toBeLessThanOrEqual(MAX_CHAPTERS + 7);
    expect(list.length).toBeGreaterThan(2);
    expect(list.every(({ from, to }) => to > from)).toBe(true);
  });
});

describe('a waveform', () => {
  it('has the peak of each tenth of a second', () => {
    const peaks = new Peaks(0.02);
    for (let frame = 0; frame < 20; frame++)
      peaks.add(Float32Array.of(0.01, frame === 7 ? -0.5 : 0.1, 0, frame === 12 ? 3 : 0));
    expect(peaks.toJSON()).toEqual({ step: 0.1, peaks: [10, 50, 100, 10] });
  });

  it('is bounded, and keeps its peaks where they were', () => {
    const peaks = new Peaks(0.02);
    const frames = 7200 * FRAMES;
    for (let frame = 0; frame < frames; frame++)
      peaks.add(Float32Array.of(Math.abs(frame - 180_000) < 3 ? 1 : 0.1));
    const { step, peaks: points } = peaks.toJSON();
    expect(points.length).toBeLessThanOrEqual(MAX_PEAKS);
    expect(points.length).toBeGreaterThan(MAX_PEAKS / 2 - 1);
    expect(Math.abs(points.indexOf(100) * step - 3600)).toBeLessThan(2 * step);
  });
});
