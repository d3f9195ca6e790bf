/**
 * Checks the figures that docs and lab quote from other works against bench/docs/paper-figures.md,
 * and that page against the works' own texts: `node docs/paper-figures.js FOLDER`.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {object} Figure
 * @property {string} paper    name of the work, as in comparisons.md
 * @property {string} place    'table A.1', 'section 5.2.1' or 'experiment 3'
 * @property {string} page     its number, or '–'
 * @property {readonly string[]} printed  as in the work's text
 * @property {readonly string[]} quoted   numbers as quoted, or words
 * @property {readonly string[]} files    that quote it, from the repository's root
 *
 * @typedef {{ figures: Figure[], titles: Map<string, string> }} Figures titles: by paper
 */

const HOME = new URL('../', import.meta.url);

/** Folder of the works' texts, beside the checkout. */
export const PAPERS = fileURLToPath(new URL('../shared/papers/', HOME));

const FILES = new Map([
  ['comparisons.md', 'bench/docs/comparisons.md'],
  ['papers.js', 'bench/scenarios/comparisons/papers.js'],
]);

/** Names that hold a digit which is no figure. */
const NAMES = /HTTP\/\d(\.\d)?|[\d.]+K\b|\bRFC \d+|2012\/13|0-RTT/g;

/** References to a place of the work. */
const REFERENCES = new RegExp(
  [
    /\b(tables?|figures?|sections?|chapters?|steps?|experiment) /,
    /[\dA-Z.]+[a-d]?((,| and| to) [A-Z]?[\d.]+[a-d]?)*|\(\d[a-d]( to \d[a-d])?\)/,
  ]
    .map(({ source }) => source)
    .join(''),
  'g',
);

/** A number with a thin or a plain space between thousands. */
const NUMBER = /(?<![\w.])\d{1,3}(?:[  ]\d{3})+(?!\d)|(?<![\w.])\d+(?:\.\d+)?/g;

/** Factors between the units of a work and ours: kbit in Mbit, and bytes in millions of bits. */
const FACTORS = Object.freeze([1, 1e-3, 8e-6]);

/** @param {string} path from the repository's root */
const read = (path) => readFileSync(new URL(path, HOME), 'utf8');

/** @param {string} line of a table @returns {string[]} */
const cellsOf = (line) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** @param {string} [source] in Markdown @returns {Figures} */
export function figuresOf(source = read('bench/docs/paper-figures.md')) {
  /** @type {Figures} */
  const all = { figures: [], titles: new Map() };
  for (const section of source.split(/^## /m).slice(1)) {
    const [paper, , title, ...lines] = section.split('\n');
    all.titles.set(paper, title);
    for (const line of lines.filter((one) => one.startsWith('| ')).slice(2)) {
      const [place, page, printed, quoted, , files] = cellsOf(line);
      all.figures.push({
        paper,
        place,
        page,
        printed: printed.split('; '),
        quoted: quoted.split('; '),
        files: files.split(', ').map((file) => FILES.get(file) ?? file),
      });
    }
  }
  return all;
}

/** @param {string} text without markup and with single spaces */
const plain = (text) =>
  text
    .replace(/\\pm/g, '±')
    .replace(/\\(mathrm|approx|text)|[${}*~\\]/g, '')
    .replace(/±/g, ' ± ')
    .replace(/\s+/g, ' ');

/**
 * The passage of a work that a place names. For a table it begins at the caption before it and ends
 * at its own. A section ends at the next heading of its kind.
 * @param {string} text
 * @param {string} place
 * @returns {string | null} without markup; null if there is no such place
 */
export function passageOf(text, place) {
  const [kind, number] = place.split(' ');
  const escaped = number.replaceAll('.', String.raw`\.`);
  const lines = text.split('\n');
  const caption = /^\W*(Table|Figure|Fig\.|Listing) [\dA-Z.]+(?<!\.)[.:]+\s/;
  const [start, next] =
    kind === 'table'
      ? [new RegExp(String.raw`^\W*Table ${escaped}[.:]\s`), caption]
      : kind === 'section'
        ? [
            new RegExp(String.raw`^[#*\s]*${escaped}( -)?\s[^\t]*$`),
            /^[#*\s]*\d+(\.\d+)*( -)?\s[A-Z][^\t.]*$/,
          ]
        : [new RegExp(`^Experiment ${escaped} [–-]`), /^(Experiment \d|Overall Experiments)/];
  const at = lines.findLastIndex((line) => start.test(line));
  if (at < 0) return null;
  const isNext = (/** @type {string} */ line) => next.test(line);
  if (kind === 'table') {
    const before = lines.slice(0, at).findLastIndex(isNext);
    return plain(lines.slice(before + 1, at).join('\n'));
  }
  const length = lines.slice(at + 1).findIndex(isNext);
  return plain(lines.slice(at + 1, length < 0 ? undefined : at + 1 + length).join('\n'));
}

/**
 * @param {Figures} figures
 * @param {ReadonlyMap<string, string>} texts of the works, by paper
 * @returns {string[]} faults of the page's references, one sentence each
 */
export function notPrinted({ figures }, texts) {
  return figures.flatMap(({ paper, place, printed }) => {
    const text = texts.get(paper);
    if (text === undefined) return [];
    const passage = passageOf(text, place);
    if (passage === null) return [`${paper} has no ${place}`];
    return printed
      .filter((figure) => !passage.includes(plain(figure)))
      .map((figure) => `${paper}, ${place}: "${figure}" isn't there`);
  });
}

/**
 * The page of a place by the work's own contents, which have tables in a list of their own.
 * @param {string} text
 * @param {string} place
 * @returns {string | null} null if they don't name it
 */
export function pageOf(text, place) {
  const [kind, number] = place.split(' ');
  const lines = text.split('\n');
  const list = lines.findIndex((line) => /^\W*List\s+of\s+Tables\W*$/.test(line));
  if (kind === 'experiment' || (kind === 'table' && list < 0)) return null;
  const entry = new RegExp(String.raw`^\s*${number.replaceAll('.', String.raw`\.`)}( -)?\s`);
  const pages = lines.flatMap((line, i) => {
    if (!entry.test(line) || (kind === 'table' && i < list)) return [];
    // A long entry goes on in the next line, which is indented.
    const rest = /^\t/.test(lines[i + 1] ?? '') ? lines[i + 1] : '';
    const page = [line, rest].map((part) => part.match(/[\t.]\s*(\d+)\s*$/)?.[1]);
    return page[0] ?? page[1] ?? [];
  });
  return pages[0] ?? null;
}

/**
 * @param {Figures} figures
 * @param {ReadonlyMap<string, string>} texts of the works, by paper
 * @returns {string[]} pages that differ from the works' contents, one sentence each
 */
export function misplaced({ figures }, texts) {
  return figures.flatMap(({ paper, place, page }) => {
    const found = pageOf(texts.get(paper) ?? '', place);
    return found === null || found === page
      ? []
      : [`${paper}, ${place}: it is on page ${found}, not ${page}`];
  });
}

/**
 * The works' texts, by the titles in them.
 * @param {Figures} figures
 * @param {string} folder
 * @returns {Map<string, string>} by paper
 */
export function textsIn({ titles }, folder) {
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => readFileSync(new URL(name, pathToFileURL(`${folder}/`)), 'utf8'));
  const isOf = (/** @type {string} */ title) => (/** @type {string} */ text) =>
    plain(text.slice(0, 6000)).toLowerCase().includes(title.toLowerCase());
  return new Map(
    [...titles].flatMap(([paper, title]) => {
      const text = texts.find(isOf(title));
      return text === undefined ? [] : [/** @type {[string, string]} */ ([paper, text])];
    }),
  );
}

/** @param {string} text @returns {string[]} the numbers in it, as written */
export const numbersIn = (text) =>
  text.replace(NAMES, '').replace(REFERENCES, '').match(NUMBER) ?? [];

/** @param {string} number as quoted, with spaces between thousands */
const valueOf = (number) => Number(number.replace(/\s/g, ''));

/** @param {string} printed @returns {number[]} a comma before three digits is between thousands */
const valuesIn = (printed) =>
  (printed.match(/\d+(?:[.,]\d+)*/g) ?? []).map((number) =>
    Number(number.replace(/,(?=\d{3}(?!\d))/g, '').replace(',', '.')),
  );

/**
 * @param {string} quoted number
 * @param {readonly string[]} printed
 * @returns {boolean} true if it is one of the printed numbers, rounded
 */
export function isRounded(quoted, printed) {
  const half = 0.5 * 10 ** -(quoted.split('.')[1]?.length ?? 0);
  return printed
    .flatMap(valuesIn)
    .some((value) =>
      FACTORS.some((factor) => Math.abs(value * factor - valueOf(quoted)) <= half * 1.000001),
    );
}

/**
 * Text of a file about a work: the work's section of comparisons.md, or the findings of papers.js.
 * @param {string} file
 * @param {string} paper
 */
function quotingText(file, paper) {
  const text = read(file);
  if (file === FILES.get('comparisons.md')) {
    const sections = text.split(/^## /m);
    return sections.find((section) => section.startsWith(`What did ${paper} find`)) ?? '';
  }
  if (file === FILES.get('papers.js')) return findings(text, paper).join('\n');
  return text;
}

/**
 * @param {string} source of papers.js
 * @param {string} paper  experiments of all papers belong to the first
 * @returns {string[]} its experiments' findings
 */
function findings(source, paper) {
  const part = /paper: '([^']+)'.*?theirs:((?:\s*\+?\s*(?:'[^']*'|"[^"]*"))+)/gs;
  return [...source.matchAll(part)]
    .filter(([, of]) => of.startsWith(paper) || (of === 'all of them' && paper === 'Paterson'))
    .map(([, , text]) => text.replace(/['"]\s*\+?\s*['"]?/g, ''));
}

/**
 * Cells of the columns that say what a work found, of all tables in a text: those headed "found
 * there", with the table's first, "paper, …" and "… thesis …".
 * @param {string} text
 */
function foundCells(text) {
  /** @type {boolean[]} */
  let shown = [];
  return text.split('\n').flatMap((line) => {
    if (!line.trim().startsWith('|')) {
      shown = [];
      return [];
    }
    const row = cellsOf(line.trim());
    if (shown.length === 0) {
      const isFound = row.includes('found there');
      shown = row.map(
        (head, i) => /^found there$|^paper, |\bthesis\b/.test(head) || (isFound && i === 0),
      );
      return [];
    }
    // The text after "; here" in the first column is the lab's.
    return row.filter((_, i) => shown[i]).map((cell) => cell.replace(/^\d, |; here .*/g, ''));
  });
}

/** Pages with tables that have a column of Saliba's figures. */
const OF_THESIS = Object.freeze(['docs/performance.md', 'bench/docs/link.md']);

/**
 * @param {string} paper
 * @returns {{ file: string, texts: string[] }[]} all that says what it found
 */
function allFound(paper) {
  const [comparisons, papers] = [...FILES.values()];
  const section = quotingText(comparisons, paper);
  const [, intro = ''] = section.split('\n\n');
  const others = paper === 'Saliba' ? OF_THESIS : [];
  return [
    { file: comparisons, texts: [intro, ...foundCells(section)] },
    { file: papers, texts: findings(read(papers), paper) },
    ...others.map((file) => ({ file, texts: foundCells(read(file)) })),
  ];
}

/**
 * @param {Figures} figures
 * @returns {string[]} quotations in docs and lab that differ from the page, one sentence each
 */
export function misquoted({ figures, titles }) {
  const wrong = figures.flatMap(({ paper, place, printed, quoted, files }) => [
    ...quoted
      .filter((figure) => numbersIn(figure).length > 0 && !isRounded(figure, printed))
      .map((figure) => `${paper}, ${place}: ${figure} is none of ${printed.join('; ')}`),
    ...files.flatMap((file) => {
      const text = quotingText(file, paper);
      const numbers = new Set([...numbersIn(text), ...(text.match(/\d+\.\d+|\d+/g) ?? [])]);
      return quoted
        .filter((figure) => !numbers.has(figure) && !text.includes(figure))
        .map((figure) => `${file} doesn't quote ${figure} (${paper}, ${place})`);
    }),
  ]);
  const unknown = [...titles.keys()].flatMap((paper) =>
    allFound(paper).flatMap(({ file, texts }) => {
      const known = figures
        .filter((figure) => figure.paper === paper && figure.files.includes(file))
        .flatMap(({ quoted }) => quoted);
      return texts
        .flatMap(numbersIn)
        .filter((number) => !known.includes(number))
        .map((number) => `${file}: ${number} of ${paper} is in no row of paper-figures.md`);
    }),
  );
  return [...wrong, ...unknown];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? PAPERS;
  const figures = figuresOf();
  const texts = existsSync(folder) ? textsIn(figures, folder) : new Map();
  const faults = [
    ...notPrinted(figures, texts),
    ...misplaced(figures, texts),
    ...misquoted(figures),
  ];
  console.log(faults.join('\n'));
  console.log(
    `${figures.figures.length} rows, looked up in the texts of ${texts.size} of ` +
      `${figures.titles.size} works: ${faults.length} faults`,
  );
  process.exitCode = faults.length > 0 ? 1 : 0;
}
