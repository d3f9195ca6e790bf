/**
 * Which folder may import which: `npm run lint` checks it. docs/architecture.md says why. Types in JSDoc (`@import`)
 * don't count: they cost nothing at run time, and an interface may be named where it is used.
 *
 * @type {Record<string, string[]>} a folder, and what it may import besides itself and packages
 */
const MAY_IMPORT = {
  // What both sides speak: runs in Node, in a page and in a worklet, so it may need nothing else.
  'public/shared': [],
  worklets: ['public/shared'],
  native: ['public/shared'],
  certs: ['public/shared'],
  docs: ['server/config'],

  server: ['public/shared', 'native', 'certs'],
  'server/config': ['public/shared', 'certs'],
  'server/certificate': ['public/shared', 'certs', 'server/config', 'server/log.js'],
  'server/clock': ['public/shared'],
  'server/codec': ['public/shared', 'native', 'server/config/config-error.js', 'server/log.js'],
  'server/source': ['public/shared', 'server/clock', 'server/codec', 'server/token-bucket.js'],
  'server/mix': ['public/shared', 'server/clock', 'server/codec', 'server/source'],
  'server/recording': ['public/shared', 'server/clock', 'server/codec', 'server/mix', 'server/source', 'server/token-bucket.js'],
  'server/transport': ['public/shared', 'native', 'server/config', 'server/log.js', 'server/token-bucket.js'],
  'server/room': [
    'public/shared',
    'server/clock',
    'server/codec',
    'server/config',
    'server/mix',
    'server/recording',
    'server/source',
    'server/token-bucket.js',
  ],
  'server/http': ['public/shared', 'server/config', 'server/transport/http-body.js', 'server/log.js'],

  public: ['worklets'],
  'public/client/clock': ['public/shared'],
  'public/client/connection': ['public/shared'],
  'public/client/capture': ['public/shared', 'public/client/clock', 'worklets'],
  'public/client/playout': ['public/shared', 'public/client/clock', 'worklets'],
  'public/client/call': ['public/shared', 'public/client', 'worklets'],
  'public/texts': ['public/shared'],
  'public/ui/kit': ['public/shared', 'public/texts', 'public/texts.js'],
  'public/ui': ['public/shared', 'public/client', 'public/texts', 'public/texts.js', 'public/call.js'],
  'public/lab': ['public/shared', 'public/client', 'public/texts', 'public/texts.js', 'public/call.js', 'public/ui/kit'],

  bench: ['public', 'worklets', 'native', 'server', 'certs'],
  'bench/stats': ['public/shared', 'server'],
  'bench/link': ['public/shared', 'bench/stats'],
  'bench/codec': ['public/shared', 'server/codec', 'bench/stats'],
  'bench/report': ['public/shared', 'bench/stats', 'bench/run'],
  'bench/run': ['public/shared', 'public/client', 'native', 'bench/stats', 'bench/link', 'bench/report'],
  'bench/participants': ['public', 'worklets', 'native', 'server', 'bench/stats', 'bench/link', 'bench/run'],
};

/** Rules that the code still breaks somewhere: warnings. */
const NOT_YET = new Set([
  'server/transport',
  'server/source',
  'server/recording',
  'server/codec',
  'server/clock',
  'public/ui/kit',
  'public/lab',
  'public/client/clock',
  'bench/stats',
  'bench/run',
  'no-circular',
]);

/** Folders of this repository: what isn't in one of them is a package or Node's own. */
const HERE = '^(bench|certs|docs|native|public|server|test|worklets)/';

/** A path as part of a regular expression. */
const escape = (/** @type {string} */ path) => path.replaceAll('.', '\\.');
const within = (/** @type {string[]} */ paths) => `^(${paths.map((path) => escape(path) + (path.endsWith('.js') ? '$' : '/')).join('|')})`;

/**
 * @param {string} name
 * @param {string} comment what to do about it
 * @param {{ from: object, to: object }} rule
 */
const rule = (name, comment, { from, to }) => ({ name, comment, severity: NOT_YET.has(name) ? 'warn' : 'error', from, to });

export default {
  forbidden: [
    rule('no-circular', 'Move what both need to a module of its own, below them.', { from: {}, to: { circular: true } }),
    rule('no-unresolved', 'The file or package is not there.', { from: {}, to: { couldNotResolve: true, pathNot: '^/vendor/' } }),
    rule('main-puts-together', 'Hand it in: only server/server.js and server/main.js put the parts together.', {
      from: { path: '^server/.+/' },
      to: { path: '^server/(main|server)\\.js$' },
    }),
    rule('scenarios', 'Only the command runs scenarios.', {
      from: { pathNot: '^(bench/main\\.js$|bench/scenarios/|test/)' },
      to: { path: '^bench/scenarios/' },
    }),
    ...Object.entries(MAY_IMPORT).map(([folder, allowed]) =>
      rule(folder, `May import ${['itself', ...allowed].join(', ')}.`, {
        from: { path: within([folder]) },
        to: { path: HERE, pathNot: within([folder, ...allowed]) },
      }),
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(native/target|bench/results|bench/link/target)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
