import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  figuresOf,
  isRounded,
  misplaced,
  misquoted,
  notPrinted,
  numbersIn,
  pageOf,
  PAPERS,
  passageOf,
  textsIn,
} from '../../../docs/paper-figures.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';

const { it: itWithPapers } = requireOrSkip(
  existsSync(PAPERS),
  'the papers are not in ../shared/papers beside the checkout',
  ofTheMachine,
);

describe('figures of the papers', () => {
  it('are quoted as bench/docs/paper-figures.md has them, and all are in it', () => {
    expect(misquoted(figuresOf())).toEqual([]);
  });

  itWithPapers('are printed in the papers where that page says', () => {
    const figures = figuresOf();
    const texts = textsIn(figures, PAPERS);
    expect([...texts.keys()]).toEqual([...figures.titles.keys()]);
    expect(notPrinted(figures, texts)).toEqual([]);
    expect(misplaced(figures, texts)).toEqual([]);
  });
});

describe('the check of papers', () => {
  const page = (/** @type {string} */ printed, /** @type {string} */ quoted) =>
    [
      '# Figures',
      '## Ada',
      '',
      'On Sound',
      '',
      '| place | page | printed | quoted | is | quoted in |',
      '| --- | --- | --- | --- | --- | --- |',
      `| table 2 | 7 | ${printed} | ${quoted} | the rate | bench/scenarios/rtt.js |`,
    ].join('\n');
  const text = 'Table 1: A\n\nRate $5{\\pm}1$\tDelay 7\n\nTable 2: B\n\nRate 9\n\nTable 3: C';

  it('names a figure that its table lacks, and a table that the paper lacks', () => {
    const of = (/** @type {string} */ printed) =>
      notPrinted(figuresOf(page(printed, '5')), new Map([['Ada', text]]));
    expect(of('Rate 5 ± 1')).toEqual([]);
    expect(of('Rate 9')).toEqual(['Ada, table 2: "Rate 9" isn\'t there']);
    const missing = notPrinted(figuresOf(page('5', '5')), new Map([['Ada', 'Table 1: A\n5']]));
    expect(missing).toEqual(['Ada has no table 2']);
  });

  it('names a quoted figure that is no rounding, and a file that lacks it', () => {
    expect(misquoted(figuresOf(page('32.51', '32.51')))).toEqual([]);
    expect(misquoted(figuresOf(page('32.53', '32.51')))).toEqual([
      'Ada, table 2: 32.51 is none of 32.53',
    ]);
    expect(misquoted(figuresOf(page('77.77', '77.77')))).toEqual([
      "bench/scenarios/rtt.js doesn't quote 77.77 (Ada, table 2)",
    ]);
  });

  it('finds a section up to the next, and passes over the contents', () => {
    const paper = '6.3\tCalls\t44\n6.4\tMesh\t48\n6.3 Calls\n\nthree at 809\n\n6.4 Mesh\n\n333';
    expect(passageOf(paper, 'section 6.3')).toBe(' three at 809 ');
    expect(passageOf(paper, 'section 6.5')).toBeNull();
  });

  it('names a page that the contents give otherwise', () => {
    const contents = (/** @type {number} */ number) =>
      [
        '6.3\tCalls . . .\t44',
        'List of Tables',
        '1\tRates\t30',
        '2\tA long\t',
        `\tone\t${number}`,
        '6.3 Calls',
        '2\t9',
      ].join('\n');
    expect(pageOf(contents(45), 'section 6.3')).toBe('44');
    expect(pageOf(contents(45), 'table 2')).toBe('45');
    expect(pageOf(contents(45), 'table 7')).toBeNull();
    expect(pageOf('2 Calls\n\n2\t9\t5', 'table 2')).toBeNull();
    const faults = (/** @type {number} */ number) =>
      misplaced(figuresOf(page('5', '5')), new Map([['Ada', contents(number)]]));
    expect(faults(7)).toEqual([]);
    expect(faults(45)).toEqual(['Ada, table 2: it is on page 45, not 7']);
  });

  it('reads thousands and decimals as the papers print them', () => {
    for (const [quoted, printed] of [
      ['6 067', '6,067 ms'],
      ['26.56', '26,56%'],
      ['4.3', '4,300kbps'],
      ['106', '106.3042405'],
    ])
      expect(isRounded(quoted, [printed]), quoted).toBe(true);
    expect(isRounded('107', ['106.3'])).toBe(false);
  });

  it('takes names and references for no figures', () => {
    expect(
      numbersIn('HTTP/1.1 with 4K video: 1 950 ± 234 kbit/s (tables 6 and 7, 2a to 2c)'),
    ).toEqual(['1 950', '234']);
  });
});
