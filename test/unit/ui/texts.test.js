import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import {
  failureTexts,
  labels,
  moderatedText,
  noticeText,
  switchTexts,
  texts,
  failureReason,
} from '../../../public/texts/texts.js';
import { ROLES } from '../../../public/shared/limits.js';

const folder = new URL('../../../public/', import.meta.url);
const read = (/** @type {string} */ file) => readFileSync(new URL(file, folder), 'utf8');
const filesOf = (/** @type {string} */ place) =>
  readdirSync(new URL(place, folder), { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.js'))
    .map((file) => `${place}${file}`);

/** The files that run on the page itself, those of its sentences left out. */
/** A call with the code of a text. */
const CODE_OF_CALL = new RegExp(
  '(?:notices?|show|#tell|#fail|problem|onProblem|noticeText|settle)' +
    "\\((?:[a-z.]*, )?'([a-z]+(?:-[a-z0-9]+)+)'",
  'gi',
);
const pageFiles = ['app.js', 'call.js', ...filesOf('ui/'), ...filesOf('client/')];

/** Without comments and texts for programmers. @param {string} source */
const codeOf = (source) =>
  source
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/(TypeError|RangeError|Error)\([^)]*\)/g, '');

describe('the page’s sentence for a failure', () => {
  it.each(Object.keys(errors))('has a sentence for the server’s %s', (code) => {
    expect(failureTexts).toHaveProperty(code);
  });

  it('exists for every code that the page sends or receives', () => {
    const told = new Set();
    for (const file of pageFiles) {
      const code = codeOf(read(file));
      for (const [, one] of code.matchAll(CODE_OF_CALL)) told.add(one);
      if (file.startsWith('client/')) {
        for (const [, one] of code.matchAll(
          /'((?:no|microphone|sound|speaker|connection|session)-[a-z-]+)'/g,
        ))
          told.add(one);
      }
      for (const [, one] of code.matchAll(/new ConnectionError\('([a-z-]+)'/g)) told.add(one);
    }
    expect(told.size).toBeGreaterThan(24);
    // One is of a request's cache, the other's sentence holds a device's name.
    for (const other of ['no-store', 'device-new']) told.delete(other);
    for (const code of told) expect(failureTexts).toHaveProperty(code);
  });

  it.each(Object.entries(failureTexts))(
    'in %s says what happened, and then what to do',
    (_, sentences) => {
      const [happened, ...remedy] = sentences.split(/[.;:] /);
      expect(happened.length).toBeGreaterThan(15);
      expect(remedy.join(' ')).toMatch(/^\p{L}.{5,}\.$/u);
    },
  );

  it('says that what it doesn’t know is unexpected, whatever the code is', () => {
    for (const code of ['new-code', 'constructor', '__proto__', ''])
      expect(noticeText(code)).toMatch(/unexpected/);
  });

  it('says in a sentence why another connection was not taken, whatever the code is', () => {
    for (const code of [
      'no-answer',
      'slower',
      'not-offered',
      'no-webtransport',
      'connection-failed',
      'constructor',
    ]) {
      expect(failureReason(code)).toMatch(/^It|^The|^This.*\.$/);
    }
  });
});

describe('the page’s texts', () => {
  it('are all in their folder: no sentence is written elsewhere', () => {
    for (const file of ['app.js', 'call.js', ...filesOf('ui/')]) {
      for (const [, one] of codeOf(read(file)).matchAll(/['`]([A-Z][a-zé’]+ [^'`]*)['`]/g)) {
        expect([file, one]).toEqual([file, expect.stringMatching(/^Bearer /)]);
      }
    }
  });

  it('are all said somewhere', () => {
    const code = [...pageFiles.map(read), read('index.html')].join('\n');
    for (const key of Object.keys(texts))
      expect([key, code.includes(`texts.${key}`)]).toEqual([key, true]);
    for (const key of Object.keys(labels)) {
      expect([key, code.includes(`labels.${key}`) || code.includes(`="${key}"`)]).toEqual([
        key,
        true,
      ]);
    }
    for (const key of Object.keys(switchTexts)) expect(code).toContain(`'${key}'`);
  });
});

const server = ['rules', 'moderation']
  .map((file) => new URL(`../../../server/room/rules/${file}.js`, import.meta.url))
  .map((file) => readFileSync(file, 'utf8'))
  .join('');

/** Acts that the server reports to the person concerned. */
const acts = [
  ...new Set(
    [...server.matchAll(/notify\(member, \{ action: ([^,}]*')/g)].flatMap(([, told]) =>
      [...told.matchAll(/'([a-z-]+)'/g)].map(([, act]) => act),
    ),
  ),
];

describe('a moderator’s act', () => {
  it('names the operator as such, and nobody who is only called so', () => {
    expect(moderatedText({ action: 'muted', by: 'operator', operator: true })).toMatch(
      /^The server’s operator has muted you/,
    );
    expect(moderatedText({ action: 'muted', by: 'operator' })).toMatch(/^operator has/);
  });

  it('is of four kinds', () =>
    expect(acts.sort()).toEqual(['hand-lowered', 'may-unmute', 'muted', 'role']));

  it.each(acts)('has a sentence for %s, with the name of who did it', (action) => {
    expect(moderatedText({ action, by: 'Ann', role: 'listener' })).toMatch(
      /^Ann (has|lets) [^]*\.$/,
    );
  });

  it('says so where somebody comes who was muted before', () => {
    expect(moderatedText({ action: 'muted', by: null })).toMatch(
      /^You are still muted by a moderator\. Raise your hand/,
    );
  });

  it.each(ROLES)('has a sentence for the role %s, also where nobody did it', (role) => {
    const sentence = moderatedText({ action: 'role', by: null, role });
    expect(sentence).toMatch(new RegExp(`^You are now a ${role}\\b[^]*\\.$`));
  });

  it('has none for what the page doesn’t know', () => {
    for (const action of ['painted', 'constructor', '__proto__', 'undefined'])
      expect(moderatedText({ action, by: 'Ann' })).toBe('');
  });
});
