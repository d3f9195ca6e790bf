import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import globals from 'globals';

/** A call of a log: `log.info(…)`, `this.#log.error(…)`. */
const logCall =
  'CallExpression[callee.property.name=/^(error|warn|info|debug)$/]' +
  ':matches([callee.object.name="log"], [callee.object.property.name="log"])';

const length = { skipBlankLines: true, skipComments: true };

export default defineConfig([
  globalIgnores(['native/target/', 'bench/results/', '**/test/output/', 'test/integration/tmp-*/']),
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'array-callback-return': 'error',
      complexity: ['error', 15],
      'default-case-last': 'error',
      eqeqeq: 'error',
      // Prettier breaks what it can; templates and regular expressions are broken by hand.
      'max-len': ['error', { code: 100, ignoreUrls: true }],
      'max-lines': ['error', { max: 600, ...length }],
      'max-lines-per-function': ['error', { max: 80, ...length }],
      'no-constructor-return': 'error',
      'no-else-return': 'error',
      'no-eval': 'error',
      'no-implicit-coercion': ['error', { boolean: false }],
      'no-lonely-if': 'error',
      'no-new-wrappers': 'error',
      'no-self-compare': 'error',
      'no-shadow': 'error',
      'no-template-curly-in-string': 'error',
      'no-throw-literal': 'error',
      'no-unmodified-loop-condition': 'error',
      'no-unneeded-ternary': 'error',
      'no-unused-expressions': 'error',
      'no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      'no-useless-rename': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': ['error', { destructuring: 'all' }],
      'prefer-promise-reject-errors': 'error',
      'prefer-rest-params': 'error',
      'prefer-spread': 'error',
    },
  },
  {
    files: [
      '*.js',
      'server/**',
      'programs/**',
      'examples/**',
      'deploy/**',
      'bench/**',
      'docs/**',
      'native/**',
      'release/**',
      'test/**',
      'testkit/**',
    ],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['public/**', 'bench/{plugin,survey}/page/**'],
    ignores: ['public/shared/**'],
    languageOptions: { globals: { ...globals.browser, ...globals.worker } },
    rules: { 'no-alert': 'error' },
  },
  // Code shared by server, browser and worklets may use only what all three have.
  { files: ['public/shared/**'], languageOptions: { globals: globals['shared-node-browser'] } },
  { files: ['worklets/**'], languageOptions: { globals: globals.audioWorklet } },
  // Lines of a log that an operator can filter: docs/operating.md lists their events.
  {
    files: ['server/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            `${logCall}:not([arguments.0.properties.0.key.name="event"]` +
            '[arguments.0.properties.0.value.type="Literal"])',
          message: "Begin with the fields, of them with a fixed event: { event: 'room-moved' }.",
        },
        {
          selector:
            `${logCall}:not([arguments.1.type="Literal"])` +
            ':not([arguments.1.left.type="Literal"][arguments.1.right.type="Literal"])',
          message: 'Give the message as one fixed text, and each value as a field.',
        },
      ],
    },
  },
  {
    files: ['test/**', 'bench/test/**', 'testkit/*-cases.js'],
    rules: { complexity: 'off', 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  {
    // French has spaces that don't break before its double punctuation, also in templates.
    files: ['public/texts/fr/*.js'],
    rules: { 'no-irregular-whitespace': ['error', { skipTemplates: true }] },
  },
  {
    // Test files of one kind share a process and its modules. So a hook that a module registers
    // while it loads runs for the first file alone. A setup file runs again for each.
    files: ['test/**', 'testkit/**', 'bench/test/**'],
    ignores: [
      '**/*.test.js',
      'testkit/vitest/fresh-modules.js',
      'test/browser/support/{no-problems,tell-browser}.js',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'Program > ExpressionStatement > ' +
            'CallExpression[callee.name=/^(before|after)(Each|All)$/]',
          message:
            'Register the hook in a function that each test file calls, or use onTestFinished().',
        },
      ],
    },
  },
  // Functions that a browser test hands to page.evaluate run in the page.
  {
    files: ['test/browser/**', 'bench/test/browser/**', 'testkit/{browsers,players}/**'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
]);
