/**
 * Which folder may import which: `npm run lint` checks it, docs/architecture.md says why. Types in
 * JSDoc (`@import`) don't count: they cost nothing at run time, and an interface may be named where
 * it is used.
 *
 * @type {Record<string, string[]>} a folder, and what it may import besides itself, ALWAYS and
 *   packages
 */
const MAY_IMPORT = {
  'public/shared': [],
  worklets: [],
  native: [],
  certs: [],
  docs: ['server/config'],
  deploy: ['server/config'],

  server: ['native', 'certs'],
  'server/access': ['server/state'],
  'server/config': ['certs'],
  'server/cluster': ['server/access', 'server/config', 'server/state'],
  'server/certificate': ['certs', 'server/config'],
  'server/clock': [],
  'server/codec': ['native', 'server/config/config-error.js'],
  'server/names': [],
  'server/state': ['server/access/grant.js', 'server/config'],
  'server/source': ['server/clock', 'server/codec'],
  'server/mix': ['server/clock', 'server/codec', 'server/source'],
  'server/broadcast': ['server/mix'],
  'server/forward': ['server/clock', 'server/mix', 'server/source'],
  'server/recording': ['server/clock', 'server/codec', 'server/mix', 'server/source'],
  'server/ondemand': ['server/codec', 'server/recording'],
  'server/transport': ['native', 'server/config', 'server/http/body.js'],
  'server/room': [
    'server/access',
    'server/broadcast',
    'server/clock',
    'server/codec',
    'server/config',
    'server/forward',
    'server/mix',
    'server/names',
    'server/recording',
    'server/source',
    'server/state',
    'server/transport/session.js',
  ],
  'server/host': [
    'native',
    'server/access',
    'server/clock',
    'server/codec',
    'server/config',
    'server/recording',
    'server/room',
    'server/state',
    'server/transport',
  ],
  'server/relay': [
    'server/broadcast',
    'server/cluster',
    'server/mix',
    'server/room/people/clock-answers.js',
    'server/transport/session.js',
  ],
  'server/http': ['server/config'],
  'server/operator': [
    'server/access',
    'server/cluster/bus.js',
    'server/cluster/messages.js',
    'server/room/moderation/moderation.js',
    'server/room/room-mode.js',
    'server/config',
    'server/http/body.js',
    'server/http/operator-token.js',
  ],
  'server/listen': [
    'server/http/body.js',
    'server/http/target.js',
    'server/recording',
    'server/transport',
  ],

  public: ['worklets'],
  'public/client/clock': ['public/client/connection/connection.js'],
  'public/client/connection': [],
  'public/client/capture': ['public/client/clock', 'worklets'],
  'public/client/playout': ['public/client/clock', 'worklets'],
  'public/client/call': ['public/client', 'worklets'],
  'public/texts': [],
  'public/ui/kit': ['public/texts', 'public/texts.js'],
  'public/ui': ['public/client', 'public/texts', 'public/texts.js', 'public/call.js'],
  'public/admin': ['public/texts', 'public/texts.js', 'public/ui/kit'],
  'public/listen': ['public/call.js', 'public/texts', 'public/ui/adopt.js', 'public/ui/kit'],
  'public/recordings': ['public/ui/kit/element.js', 'public/ui/kit/icons.js', 'worklets'],
  'public/lab': [
    'public/client',
    'public/texts',
    'public/texts.js',
    'public/call.js',
    'public/ui/kit',
  ],

  programs: [
    'native',
    'public/client',
    'server/codec',
    'server/config/config-error.js',
    'server/recording',
    'server/transport/packet-streams.js',
    'worklets',
  ],
  examples: ['programs'],

  bench: ['certs', 'deploy', 'native', 'programs', 'public', 'server', 'worklets'],
  'bench/stats': ['public/lab/summary.js', 'server'],
  'bench/link': ['bench/stats'],
  'bench/plan': ['server/cluster/rendezvous.js'],
  'bench/codec': [
    'public/client/playout',
    'server/clock',
    'server/codec',
    'server/source',
    'bench/options.js',
    'bench/participants/speech.js',
    'bench/stats',
  ],
  'bench/report': ['native', 'bench/stats'],
  'bench/survey': ['bench/report', 'bench/stats'],
  'bench/browsers': ['bench/stats'],
  'bench/participants': [
    'native',
    'programs',
    'public',
    'server',
    'worklets',
    'bench/browsers',
    'bench/link',
    'bench/report',
    'bench/stats',
  ],
  'bench/setup': [
    'public',
    'server',
    'bench/link',
    'bench/participants',
    'bench/report',
    'bench/stats',
    'bench/ways',
  ],
  'bench/mesh': ['native', 'public', 'server', 'bench/participants', 'bench/stats', 'bench/ways'],
  'bench/throughput': ['native', 'server', 'bench/participants'],
  'bench/hls': [
    'public',
    'server',
    'bench/browsers',
    'bench/link',
    'bench/participants',
    'bench/stats',
  ],
  'bench/readers': ['programs', 'public', 'server', 'bench/browsers', 'bench/stats'],
  'bench/peers': ['public', 'bench/browsers', 'bench/participants', 'bench/processor-time.js'],
  'bench/ways': [
    'native',
    'programs',
    'public',
    'server',
    'bench/browsers',
    'bench/codec/voice-path.js',
    'bench/participants',
    'bench/stats',
  ],
};

/** What both sides share may be imported everywhere. */
const ALWAYS = ['public/shared'];

/**
 * What the server's folders share: files at its root, of which server.js and main.js have a rule of
 * their own.
 */
const SERVER_ROOT = ['server/*.js'];

/** Folders of this repository: what isn't in one of them is a package or Node's own. */
const HERE = '^(bench|certs|deploy|docs|examples|native|programs|public|server|test|worklets)/';

/**
 * A folder, a file, or the files of a folder (`server/*.js`) as a regular expression.
 * @param {string} path
 */
const pattern = (path) =>
  path.replaceAll('.', '\\.').replace('*', '[^/]+') + (path.endsWith('.js') ? '$' : '/');

/** @param {string[]} paths */
const within = (paths) => `^(${paths.map(pattern).join('|')})`;

/**
 * @param {string} name
 * @param {string} comment what to do about it
 * @param {{ from: object, to: object }} rule
 */
const rule = (name, comment, { from, to }) => ({ name, comment, severity: 'error', from, to });

/** @param {string} folder */
function folderRule(folder) {
  const allowed = [
    ...MAY_IMPORT[folder],
    ...ALWAYS,
    ...(folder.startsWith('server/') ? SERVER_ROOT : []),
  ];
  return rule(folder, `May import ${['itself', ...allowed].join(', ')}.`, {
    from: { path: within([folder]) },
    to: { path: HERE, pathNot: within([folder, ...allowed]) },
  });
}

export default {
  forbidden: [
    ...Object.keys(MAY_IMPORT).map(folderRule),
    rule(
      'main-puts-together',
      'Hand it in: only server/server.js and server/main.js put the parts together.',
      {
        from: { path: '^server/.+/' },
        to: { path: '^server/(main|server)\\.js$' },
      },
    ),
    rule('scenarios', 'Only the command runs scenarios.', {
      from: { pathNot: '^(bench/main\\.js$|bench/scenarios/|test/)' },
      to: { path: '^bench/scenarios/', pathNot: '^bench/scenarios/targets\\.js$' },
    }),
    rule('no-circular', 'Move what both need to a module of its own, below them.', {
      from: {},
      to: { circular: true },
    }),
    rule('no-unresolved', 'The file or package is not there.', {
      from: {},
      to: { couldNotResolve: true, pathNot: '^/vendor/' },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(native/target|bench/results|bench/link/target)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
