import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formsOf, languageOf, languages, translated } from '../../../public/texts/language.js';
import { decimalText } from '../../../public/texts/units.js';

const TEXTS = new URL('../../../public/texts/', import.meta.url);
/** Files without sentences, or that only collect them. */
const NO_TEXTS = ['language.js', 'texts.js', 'units.js'];
/** Texts that a phone's bar of 390 px has beside each other, with their most characters. */
const SHORT = {
  mute: 10,
  hand: 14,
  chat: 14,
  more: 14,
  record: 16,
  soundPanel: 14,
  settings: 16,
  leave: 8,
};

/** Marks that a language writes otherwise. @type {Readonly<Record<string, RegExp>>} */
const WRONG_MARKS = {
  de: /[“"](?=\p{L})|\.\.\./u,
  fr: /[\p{L}»] [;:!?»]|« |\d (?:ms|s|%|kb\/s)(?!\p{L})|[“”"]|\.\.\./u,
  es: /[“”"]|\.\.\./,
  it: /[“”"]|\.\.\./,
  pt: /[«»"]|\.\.\./,
  ja: /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}][,.!?;]|[“”"]|\.\.\./u,
  zh: /\p{sc=Han}[,.!?:;]|[「」"]|\.\.\./u,
  ar: /\p{sc=Arabic}[,;?]|[“”"]|\.\.\./u,
};

const codes = Object.keys(languages).filter((code) => code !== 'en');
const files = readdirSync(TEXTS, { withFileTypes: true })
  .filter((entry) => entry.isFile() && !NO_TEXTS.includes(entry.name))
  .map(({ name }) => name);

/** @param {string} path @returns {Promise<Record<string, unknown>>} the tables of a file */
async function tablesOf(path) {
  const exports = await import(new URL(path, TEXTS).href);
  return Object.fromEntries(
    Object.entries(exports).filter(([, value]) => typeof value === 'object'),
  );
}

/**
 * Sets of arguments, one of which each text takes.
 * @type {unknown[][]}
 */
const ARGUMENTS = [
  [['Ada', 'Bo'], 2, 3],
  ['Ada', 'tea', 3],
  [3, 1200, 4],
  [true, ['Ada'], 1],
  [{ name: 'Ada', by: 'network', identity: null, network: '192.0.2.0' }, '12:00'],
];

/** @param {Function} text @param {unknown[]} given */
function say(text, given) {
  try {
    return text(...given);
  } catch {
    return undefined;
  }
}

/**
 * Lists what a translation lacks, has too much, or says otherwise than the English text: a path
 * and the reason.
 * @param {unknown} english
 * @param {unknown} own
 * @param {string} path
 * @returns {string[]}
 */
function faultsOf(english, own, path) {
  if (own === undefined) return [`${path} is missing`];
  if (typeof english !== typeof own) return [`${path} is a ${typeof own}`];
  if (typeof english === 'string') return own === '' && english !== '' ? [`${path} is empty`] : [];
  if (typeof english === 'function') {
    const made = /** @type {Function} */ (own);
    if (made.length !== english.length) return [`${path} takes ${made.length} values`];
    return ARGUMENTS.flatMap((given) => {
      const expected = say(english, given);
      if (typeof expected !== 'string' || /undefined|NaN|\[object/.test(expected)) return [];
      const text = say(made, given);
      const isWhole = typeof text === 'string' && !/undefined|NaN|\[object/.test(text);
      return isWhole ? [] : [`${path}(${JSON.stringify(given)}) is ${text}`];
    });
  }
  if (typeof english !== 'object' || english === null) return [];
  const [all, theirs] = [english, own].map(
    (table) => /** @type {Record<string, unknown>} */ (table),
  );
  return [
    ...Object.keys(all).flatMap((key) => faultsOf(all[key], theirs[key], `${path}.${key}`)),
    ...Object.keys(theirs)
      .filter((key) => !Object.hasOwn(all, key))
      .map((key) => `${path}.${key} is unused`),
  ];
}

/**
 * Lists the texts of a table, and what its functions make.
 * @param {unknown} own
 * @returns {string[]}
 */
function textsOf(own) {
  if (typeof own === 'string') return [own];
  if (typeof own === 'function')
    return ARGUMENTS.flatMap((given) => textsOf(say(own, given))).filter(
      (text) => !/undefined|NaN/.test(text),
    );
  return typeof own === 'object' && own !== null ? Object.values(own).flatMap(textsOf) : [];
}

describe.each(codes)('the page in %s', (code) => {
  it.each(files)('has every sentence of %s, and no other', async (file) => {
    const [english, own] = await Promise.all([tablesOf(file), tablesOf(`${code}/${file}`)]);
    expect(faultsOf(english, own, file)).toEqual([]);
  });

  it('has labels that fit the bar of a phone', async () => {
    const { labels } = /** @type {any} */ (await tablesOf(`${code}/labels.js`));
    for (const [key, most] of Object.entries(SHORT))
      expect([...labels[key]].length, `${key}: ${labels[key]}`).toBeLessThanOrEqual(most);
    const { callTexts } = /** @type {any} */ (await tablesOf(`${code}/call.js`));
    expect([...callTexts.unmute].length, callTexts.unmute).toBeLessThanOrEqual(12);
  });

  it.each(files)('has its own punctuation in %s', async (file) => {
    const wrong = textsOf(await tablesOf(`${code}/${file}`)).filter((text) =>
      WRONG_MARKS[code].test(text),
    );
    expect(wrong).toEqual([]);
  });

  it('has plurals of its own', () => {
    const { plural } = formsOf(code);
    const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
    expect(plural(5, { other: 'many' })).toBe('many');
    expect(pluralCategories).toContain('other');
  });
});

it.each([
  ['en', 1234.56, 1, '1234.6'],
  ['de', 99.5, 1, '99,5'],
  ['fr', 0, 1, '0,0'],
  ['ar', 12.5, 1, '12.5'],
])('in %s a number %d with %d digits is %s', (code, value, digits, text) => {
  expect(decimalText(value, digits, code)).toBe(text);
});

describe('the language of the page', () => {
  it.each([
    [['de-AT', 'en'], 'de'],
    [['nl', 'de-CH', 'en'], 'de'],
    [['nl-NL'], 'en'],
    [['toString', 'de'], 'de'],
    [[], 'en'],
  ])('for %j is %s', (wanted, code) => {
    expect(languageOf(wanted)).toBe(code);
  });

  it('is English where a translation lacks a sentence', () => {
    const english = { a: 'one', deep: { b: 'two', c: () => 'three' } };
    const own = { deep: { b: 'zwei' }, more: 'unused' };
    expect(translated(own, english)).toEqual({ a: 'one', deep: { b: 'zwei', c: english.deep.c } });
    expect(translated(undefined, english)).toEqual(english);
  });
});
