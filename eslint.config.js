import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import globals from 'globals';

const length = { skipBlankLines: true, skipComments: true };

export default defineConfig([
  globalIgnores(['native/target/', 'bench/results/', 'test/output/', 'test/integration/tmp-*/']),
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: 'module' },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'array-callback-return': 'error',
      'default-case-last': 'error',
      eqeqeq: 'error',
      // Prettier breaks what it can; templates and regular expressions it can't.
      'max-len': [
        'error',
        { code: 100, ignoreRegExpLiterals: true, ignoreTemplateLiterals: true, ignoreUrls: true },
      ],
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
      'test/**',
    ],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['public/**', 'bench/survey/page/**'],
    ignores: ['public/shared/**'],
    languageOptions: { globals: { ...globals.browser, ...globals.worker } },
    rules: { 'no-alert': 'error' },
  },
  // What server, browser and worklets share may use only what all three have.
  { files: ['public/shared/**'], languageOptions: { globals: globals['shared-node-browser'] } },
  { files: ['worklets/**'], languageOptions: { globals: globals.audioWorklet } },
  // Scenarios say in words what they measured.
  {
    files: ['bench/scenarios/**'],
    rules: { 'max-lines-per-function': ['error', { max: 100, ...length }] },
  },
  // Each makes all parts of a whole: a room, and a server.
  {
    files: ['server/room/room.js', 'server/server.js'],
    rules: { 'max-lines-per-function': ['error', { max: 150, ...length }] },
  },
  {
    files: ['test/**'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  {
    // Test files of one kind share a process and its modules: a hook that a module registers as it
    // is loaded runs for the first file alone. A setup file is run anew for each.
    files: ['test/**'],
    ignores: [
      'test/**/*.test.js',
      'test/support/fresh-modules.js',
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
  // What a browser test hands to page.evaluate runs in the page.
  {
    files: ['test/browser/**'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
]);
