import { expect, it } from 'vitest';
import {
  breachesOf,
  commentsOfDeclarations,
  commentsOfJavaScript,
  commentsOfRust,
  paragraphsOf,
} from '../../../docs/prose.js';

/** @param {string} text @param {boolean} [isComment] */
const found = (text, isComment) =>
  breachesOf({ line: 1, text }, isComment).map((breach) => breach.found);

it('comments of JavaScript are blocks and runs of lines, without directives', () => {
  const source = [
    '/**',
    ' * Counts frames.',
    ' * @param {{ a: number }} of what it counts',
    ' */',
    'const url = "http://localhost"; // eslint-disable-line',
    '// One line,',
    '// and another.',
    'call(); // At the end.',
  ].join('\n');
  expect(commentsOfJavaScript(source)).toEqual([
    { line: 1, text: 'Counts frames.\n@param {{ a: number }} of what it counts' },
    { line: 6, text: 'One line,\nand another.' },
    { line: 8, text: 'At the end.' },
  ]);
});

it('comments of declarations are blocks', () => {
  const source = '/** Counts frames. */\nexport interface Counter {\n  /**\n   * Of all.\n   */\n}';
  expect(commentsOfDeclarations(source)).toEqual([
    { line: 1, text: 'Counts frames.' },
    { line: 3, text: 'Of all.' },
  ]);
});

it('comments of Rust are runs of lines', () => {
  const source =
    '/// Counts frames,\n/// each once.\nlet url = "http://localhost";\ncall(); // End.';
  expect(commentsOfRust(source)).toEqual([
    { line: 1, text: 'Counts frames,\neach once.' },
    { line: 4, text: 'End.' },
  ]);
});

it('paragraphs of Markdown leave out code', () => {
  const page = '# Title\n\nOne line,\nand another.\n\n```\nnpm start\n```\n- item';
  expect(paragraphsOf(page)).toEqual([
    { line: 1, text: '# Title' },
    { line: 3, text: 'One line,\nand another.' },
    { line: 9, text: '- item' },
  ]);
});

it('a comment is refused by its first word, and a tag by the first word of its text', () => {
  expect(found('What is kept.')).toEqual(['What']);
  expect(found('Counts frames.\n@returns {boolean} whether it fits')).toEqual(['whether']);
  expect(found('Counts frames.\n@param {number} count of frames')).toEqual([]);
  expect(found('What is kept.', false)).toEqual([]);
});

it('words to avoid are found anywhere but in code and quotations', () => {
  expect(found('Begins anew, by\nitself.')).toEqual(['anew', 'by itself']);
  expect(found('Reads `till`, and “whoever comes”.')).toEqual([]);
});

it('a sentence may have 25 words', () => {
  const words = (/** @type {number} */ count) => `${'word '.repeat(count - 1)}end.`;
  expect(found(words(25))).toEqual([]);
  expect(found(`Short. ${words(26).replace('word', 'Word')}`)).toEqual(['26 words']);
});

it('a sentence may begin with code or a quotation', () => {
  const words = 'word '.repeat(14);
  expect(found(`It ${words}ends. \`run()\` ${words}ends.`, false)).toEqual([]);
  expect(found(`It ${words}ends. “Added” ${words}ends.`, false)).toEqual([]);
});

it('a paragraph, a list item and code end a sentence of a comment', () => {
  const words = 'word '.repeat(14).trim();
  expect(found(`Lists ${words}:\n- ${words}\n- ${words}`)).toEqual([]);
  expect(found(`Starts ${words}:\n\n    npm start ${words}\n\nand ${words}`)).toEqual([]);
  expect(found(`Has ${words}\n${words}`)).toEqual(['29 words']);
});

it('rows of a table are no sentences', () => {
  const words = 'word '.repeat(26);
  expect(found(`Lists words.\n\n| ${words} |\n| ${words} |`)).toEqual([]);
});
