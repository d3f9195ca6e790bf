/**
 * Checks how comments and pages are written, by the rules in CONTRIBUTING.md. `npm run prose`
 * prints a seeded sample of comments from JavaScript, its declarations and Rust. It counts breaches
 * in each folder. With `--check` it lists them, and exits with 1 if there is one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Linter } from 'eslint';
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';

/** @typedef {{ line: number, text: string }} Comment its line breaks are kept */
/** @typedef {'beginning' | 'word' | 'long sentence'} Kind */
/** @typedef {{ line: number, kind: Kind, found: string, text: string }} Breach */

const HOME = fileURLToPath(new URL('..', import.meta.url));

const LONGEST_SENTENCE = 25;

const BAD_BEGINNING = /^(?:who|whom|whose|what|whether|how|those|so many|of|it|they|else|then)\b/i;

const AVOIDED_WORDS = new RegExp(
  [
    'anew',
    'meanwhile',
    'till',
    'whoever',
    'whomever',
    'whom',
    '(?:by|of) (?:itself|themselves)',
    '(?:goes|go|going|went|gone) around',
    'those (?:that|who|which)',
    '(?:is|are|was|were) told',
    'so many',
    'sends? back',
    'looked at',
    'for (?:it|they|there) (?:is|are|was|were|has|have|had|lacks?|does|do|can|cannot)',
  ]
    .map((words) => String.raw`\b${words.replaceAll(' ', String.raw`\s+`)}\b`)
    .join('|'),
  'gi',
);

/** Comments that a tool reads. */
const DIRECTIVE = /^\s*(?:eslint|globals?\s|@ts-|@vitest|prettier-|c8|v8|#(?:region|endregion))/;

/** Tags whose text is code or a name. */
const CODE_TAGS = new Set(['import', 'template', 'typedef', 'callback', 'example', 'link', 'see']);

/** @param {string} source JavaScript @returns {Comment[]} */
export function commentsOfJavaScript(source) {
  /** @type {Comment[]} */
  const comments = [];
  /** @type {import('eslint').Rule.RuleModule} */
  const collect = {
    create: ({ sourceCode }) => {
      let lastLine = 0;
      for (const { type, value, loc } of sourceCode.getAllComments()) {
        if (!loc || DIRECTIVE.test(value.replace(/^\*/, ''))) continue;
        const alone = sourceCode.lines[loc.start.line - 1].trimStart().startsWith('//');
        const last = comments.at(-1);
        if (type === 'Line' && alone && lastLine === loc.start.line - 1 && last) {
          last.text += `\n${value.trim()}`;
        } else if (type === 'Line' || type === 'Block') {
          const text = value.replace(/^\*/, '').replace(/^[ \t]*\* ?/gm, '');
          comments.push({ line: loc.start.line, text: text.trim() });
        }
        lastLine = type === 'Line' && alone ? loc.start.line : 0;
      }
      return {};
    },
  };
  const languageOptions = /** @type {const} */ ({ ecmaVersion: 2023, sourceType: 'module' });
  const plugins = { prose: { rules: { collect } } };
  const rules = /** @type {const} */ ({ 'prose/collect': 'error' });
  new Linter().verify(source, [{ languageOptions, plugins, rules }], {
    allowInlineConfig: false,
  });
  return comments;
}

/** @param {string} source TypeScript's declarations, in which each comment is a block */
export const commentsOfDeclarations = (source) =>
  [...source.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(({ 1: text, index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: text.replace(/^[ \t]*\* ?/gm, '').trim(),
  }));

/** @param {string} source Rust @returns {Comment[]} */
export function commentsOfRust(source) {
  /** @type {Comment[]} */
  const comments = [];
  let lastLine = 0;
  source.split('\n').forEach((code, index) => {
    const [, before, text] = code.match(/^([^"]*?)\/\/[/!]?(.*)$/) ?? [];
    if (text === undefined) return;
    const alone = before.trim() === '';
    const last = comments.at(-1);
    if (alone && lastLine === index && last) last.text += `\n${text.trim()}`;
    else comments.push({ line: index + 1, text: text.trim() });
    lastLine = alone ? index + 1 : 0;
  });
  return comments;
}

/** @param {string} page Markdown @returns {Comment[]} paragraphs, headings, list items and rows */
export function paragraphsOf(page) {
  const prose = page.replace(/^ *```[\s\S]*?^ *```/gm, (code) => code.replace(/[^\n]/g, ''));
  /** @type {Comment[]} */
  const paragraphs = [];
  let open = false;
  prose.split('\n').forEach((text, index) => {
    const starts = !open || /^\s*(?:[-*#|>]|\d+\.)/.test(text);
    if (text.trim() === '') open = false;
    else if (starts) paragraphs.push({ line: index + 1, text: text.trim() });
    else paragraphs[paragraphs.length - 1].text += `\n${text.trim()}`;
    open = text.trim() !== '';
  });
  return paragraphs;
}

/** Leaves out a tag's type, also one with braces in it. @param {string} text */
function withoutType(text) {
  if (!text.startsWith('{')) return text;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(at + 1).trim();
  }
  return '';
}

/**
 * Splits a JSDoc comment into its description and the text of each tag.
 * @param {Comment} comment
 * @returns {Comment[]}
 */
function piecesOf({ line, text }) {
  /** @type {Comment[]} */
  const pieces = [];
  let at = 0;
  for (const piece of text.split(/(?=(?:^|\s)@[a-z]+\b(?! ?\())/i)) {
    const pieceLine = line + (text.slice(0, at + piece.search(/\S|$/)).match(/\n/g)?.length ?? 0);
    at += piece.length;
    const [, tag, rest] = piece.match(/^\s*@([a-z]+)\s*([\s\S]*)$/i) ?? [];
    if (tag === undefined) pieces.push({ line: pieceLine, text: piece.trim() });
    else if (!CODE_TAGS.has(tag)) {
      const said = withoutType(rest);
      const named = tag === 'param' || tag === 'property';
      // A parameter's text goes on from its name: "count of frames".
      const own = named ? said.replace(/^\S+\s*(?:of\s+)?/, '') : said;
      pieces.push({ line: pieceLine, text: own });
    }
  }
  return pieces.filter((piece) => piece.text !== '');
}

/** Code, links and quotations aren't the writer's own words. @param {string} text */
const ownWords = (text) =>
  text
    .replace(/`[^`]*`/g, '`code`')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[“"][^”"\n]*[”"]/g, '“quotation”');

/**
 * Splits a text into sentences. A paragraph, an item of a list and a row of a table end one.
 * Tables and indented code are left out.
 * @param {string} text
 */
const sentencesOf = (text) =>
  text
    .split(/\n[ \t]*\n|\n(?=[ \t]*(?:[-*] |\|))/)
    .filter((block) => !/^(?: {2,}(?![-*] )|[ \t]*\|)/.test(block))
    .flatMap((block) => block.split(/(?<=[.!?](?:\*\*)?)\s+(?=[\p{Lu}`“"(*[])/u));

/**
 * Finds breaches of the rules in a comment or a paragraph.
 * @param {Comment} comment
 * @param {boolean} isComment false for a paragraph, which may begin with a question's word
 * @returns {Breach[]}
 */
export function breachesOf(comment, isComment = true) {
  /** @type {Breach[]} */
  const breaches = [];
  for (const piece of isComment ? piecesOf(comment) : [comment]) {
    const said = ownWords(piece.text);
    const beginning = isComment && said.match(BAD_BEGINNING);
    if (beginning) breaches.push({ ...piece, kind: 'beginning', found: beginning[0] });
    for (const { 0: found, index } of said.matchAll(AVOIDED_WORDS)) {
      const line = piece.line + (said.slice(0, index).match(/\n/g)?.length ?? 0);
      breaches.push({ line, kind: 'word', found: found.replace(/\s+/g, ' '), text: piece.text });
    }
    for (const sentence of sentencesOf(said)) {
      const words = sentence.trim().split(/\s+/).length;
      if (words > LONGEST_SENTENCE) {
        breaches.push({
          line: piece.line,
          kind: 'long sentence',
          found: `${words} words`,
          text: sentence.trim(),
        });
      }
    }
  }
  return breaches;
}

/** @param {string} file */
function commentsOf(file) {
  const source = readFileSync(`${HOME}${file}`, 'utf8');
  if (file.endsWith('.rs')) return commentsOfRust(source);
  if (file.endsWith('.ts')) return commentsOfDeclarations(source);
  return file.endsWith('.md') ? paragraphsOf(source) : commentsOfJavaScript(source);
}

/** @param {string} text */
const inOneLine = (text) => text.replace(/\s+/g, ' ');

/**
 * Prints a sample, the same each time for one seed and one state of the tree.
 * @param {{ file: string, line: number, text: string }[]} comments
 * @param {number} count
 * @param {number} seed
 */
function printSample(comments, count, seed) {
  const random = xorshift128plus(seed);
  const left = comments.filter((comment) =>
    piecesOf(comment).some(({ text }) => text.split(/\s+/).length > 2),
  );
  for (let n = 0; n < count && left.length > 0; n++) {
    const [{ file, line, text }] = left.splice(uniformInt(random, 0, left.length - 1), 1);
    console.log(`${file}:${line}\n    ${text.replaceAll('\n', '\n    ')}\n`);
  }
}

/** @param {{ file: string, kind: Kind }[]} breaches */
function printCounts(breaches) {
  /** @type {Map<string, Record<Kind, number>>} */
  const folders = new Map();
  for (const { file, kind } of breaches) {
    const folder = dirname(file);
    const none = { beginning: 0, word: 0, 'long sentence': 0 };
    const counts = folders.get(folder) ?? none;
    counts[kind]++;
    folders.set(folder, counts);
  }
  console.table(Object.fromEntries([...folders].sort(([a], [b]) => (a < b ? -1 : 1))));
}

function main() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '60' },
      in: { type: 'string', multiple: true, default: ['.'] },
      check: { type: 'boolean', default: false },
    },
  });
  const listed = execFileSync('git', ['ls-files', '--', ...values.in], {
    cwd: HOME,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => /\.(?:m?js|d\.ts|rs|md)$/.test(file));
  const comments = files.flatMap((file) =>
    commentsOf(file).map((comment) => ({ file, ...comment })),
  );
  const breaches = comments.flatMap((comment) =>
    breachesOf(comment, !comment.file.endsWith('.md')).map((breach) => ({
      file: comment.file,
      ...breach,
    })),
  );
  if (!values.check) {
    const fromCode = comments.filter(({ file }) => !file.endsWith('.md'));
    printSample(fromCode, Number(values.count), Number(values.seed));
  } else {
    for (const { file, line, kind, found, text } of breaches) {
      console.log(`${file}:${line}: ${kind} "${found}": ${inOneLine(text).slice(0, 400)}`);
    }
  }
  printCounts(breaches);
  const long = breaches.filter(({ kind }) => kind === 'long sentence').length;
  console.log(`${breaches.length - long} beginnings and words, ${long} long sentences`);
  if (values.check && breaches.length > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
