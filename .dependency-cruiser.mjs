/**
 * Rules of which folder may import which, checked by `npm run lint`. Types in JSDoc (`@import`)
 * don't count: they cost nothing at run time, and any file may name an interface. Packages from npm
 * aren't restricted.
 *
 * @type {Record<string, string[]>} a folder, and what it may import besides itself, ALWAYS and
 *   packages
 */
const MAY_IMPORT = {
  // Runs in Node, in a page and in a worklet.
  'public/shared': [],
  // The audio thread has no DOM and no fetch.
  worklets: [],
  // A package of its own.
  native: [],
  docs: ['server/config'],
  deploy: ['server/config'],
  // Makes the packages, and tries them as a user would.
  release: ['deploy', 'native', 'testkit/sound'],

  // Each folder of the server is tested without those above it, which are handed in.
  // Streams come in by a client's and a program's parts.
  server: ['native', 'programs/sound', 'public/client/capture', 'public/client/clock'],
  'server/access': ['server/state'],
  // Errors of options, values and ports, in the same words for all commands.
  'server/errors': [],
  'server/config': ['server/errors'],
  // Messages between nodes, and the bus that carries them.
  'server/bus': ['server/state'],
  // Nodes know no rooms and no transports: a room is a name.
  'server/cluster': ['server/access', 'server/bus', 'server/config', 'server/state'],
  'server/certificate': ['server/config', 'server/errors'],
  'server/clock': [],
  // Codecs know no rooms.
  'server/codec': ['native', 'server/errors'],
  // The state of a room that travels: one schema, no behaviour.
  'server/state': ['server/config'],
  // Sound knows no rooms, sessions and transports.
  'server/source': ['server/clock', 'server/codec'],
  'server/mix': ['server/clock', 'server/codec', 'server/source'],
  'server/broadcast': ['server/mix'],
  'server/forward': ['server/clock', 'server/mix', 'server/source'],
  'server/recording': ['server/clock', 'server/codec', 'server/mix', 'server/source'],
  // Recordings know no rooms.
  'server/ondemand': ['server/codec', 'server/recording'],
  // Sessions know no rooms: their handler is handed in.
  'server/session': [],
  'server/transport': [
    'native',
    'server/config',
    'server/errors',
    'server/request',
    'server/session',
  ],
  // Rooms know sessions, but no transports.
  'server/room': [
    'server/access',
    'server/broadcast',
    'server/clock',
    'server/codec',
    'server/config',
    'server/forward',
    'server/mix',
    'server/recording',
    'server/source',
    'server/state',
    'server/session',
  ],
  // Puts rooms together with their services, on one thread or several.
  'server/host': [
    'native',
    'server/access',
    'server/broadcast',
    'server/clock',
    'server/codec',
    'server/config',
    'server/recording',
    'server/room',
    'server/session',
    'server/source',
    'server/state',
    'server/transport',
  ],
  // Relays know messages, sessions and a fan-out, but no rooms.
  'server/relay': [
    'server/broadcast',
    'server/bus',
    'server/mix',
    'server/clock',
    'server/session',
  ],
  'server/http': ['server/config', 'server/errors', 'server/request'],
  // Asks each part for what it needs, and starts none.
  'server/check': [
    'native',
    'server/certificate',
    'server/codec',
    'server/config',
    'server/errors',
    'server/webrtc',
  ],
  'server/operator': [
    'server/access',
    'server/bus',
    'server/config',
    'server/errors',
    'server/state',
    'server/request',
  ],
  // Hears files as programs do, and sends as a client does.
  'server/ingest': [
    'programs/sound',
    'public/client/capture',
    'public/client/clock',
    'server/request',
    'server/session',
    'server/transport',
  ],
  'server/webrtc': [
    'programs/sound',
    'server/errors',
    'server/ingest',
    'server/request',
    'server/session',
    'server/transport',
  ],
  'server/listen': ['server/request', 'server/recording', 'server/session', 'server/transport'],

  // The page's folders don't know each other, except through the call and the kit.
  public: ['worklets'],
  'public/client/clock': [],
  'public/client/connection': [],
  // The two directions of sound don't know each other.
  'public/client/capture': ['public/client/clock', 'worklets'],
  'public/client/playout': ['public/client/clock', 'worklets'],
  'public/client/call': ['public/client', 'worklets'],
  'public/texts': [],
  'public/ui/kit': ['public/texts'],
  'public/ui': ['public/client', 'public/texts', 'public/call.js', 'public/aloud.js'],
  'public/admin': ['public/texts', 'public/ui/kit'],
  // Pages for listeners, operators and recordings stay light.
  'public/listen': ['public/call.js', 'public/texts', 'public/ui/room-page.js', 'public/ui/kit'],
  'public/recordings': ['public/texts', 'public/ui/kit', 'worklets'],
  'public/lab': ['public/client', 'public/texts', 'public/call.js', 'public/ui/kit'],

  // A program is a participant, and no part of a server.
  programs: [
    'native',
    'public/client',
    'server/codec',
    'server/errors',
    'server/recording',
    'worklets',
  ],
  examples: ['programs'],

  // The tools of tests and of the lab, which import nothing of each other.
  testkit: ['deploy', 'native', 'programs', 'public', 'server', 'worklets'],
  test: [
    'deploy',
    'docs',
    'examples',
    'native',
    'programs',
    'public',
    'release',
    'server',
    'testkit',
    'worklets',
  ],

  // Measures the product, which never imports it.
  bench: ['deploy', 'native', 'programs', 'public', 'server', 'testkit', 'worklets'],
  'bench/stats': ['server', 'testkit'],
  'bench/link': ['bench/stats', 'testkit'],
  'bench/plan': ['server/cluster'],
  'bench/codec': [
    'public/client/playout',
    'server/clock',
    'server/codec',
    'server/source',
    'testkit',
    'bench/options.js',
    'bench/stats',
  ],
  'bench/report': ['native', 'testkit', 'bench/stats'],
  'bench/survey': ['testkit', 'bench/report', 'bench/stats'],
  'bench/participants': [
    'native',
    'programs',
    'public',
    'server',
    'testkit',
    'worklets',
    'bench/link',
    'bench/plugin',
    'bench/report',
    'bench/stats',
  ],
  'bench/setup': [
    'public',
    'server',
    'testkit',
    'bench/link',
    'bench/participants',
    'bench/report',
    'bench/stats',
    'bench/ways',
  ],
  'bench/mesh': [
    'native',
    'public',
    'server',
    'testkit',
    'bench/participants',
    'bench/stats',
    'bench/ways',
  ],
  'bench/throughput': ['native', 'server', 'testkit', 'bench/participants', 'bench/plugin'],
  'bench/plugin': ['native', 'public/client/connection', 'server', 'testkit'],
  'bench/hls': ['public', 'server', 'testkit', 'bench/link', 'bench/participants', 'bench/stats'],
  'bench/readers': ['deploy', 'programs', 'public', 'server', 'testkit', 'bench/stats'],
  'bench/peers': ['public', 'testkit', 'bench/participants'],
  'bench/ways': [
    'native',
    'programs',
    'public',
    'server',
    'testkit',
    'bench/participants',
    'bench/plugin',
    'bench/stats',
  ],
};

/** Code shared by both sides, which all may import. */
const ALWAYS = ['public/shared'];

/**
 * Files at the server's root, which its folders share. A rule of their own excludes server.js and
 * main.js.
 */
const SERVER_ROOT = ['server/*.js'];

/** Folders of this repository: what isn't in one of them is a package or Node's own. */
const HERE =
  '^(bench|deploy|docs|examples|native|programs|public|release|server|test|testkit|worklets)/';

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
 * @param {string} comment remedy, in a sentence
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
    rule('messages', 'Import its types alone: pages can not load zod, and need no schemas.', {
      from: { path: '^(public|worklets|programs)/', pathNot: '^public/shared/messages/' },
      to: { path: '^public/shared/messages/' },
    }),
    rule('scenarios', 'Only the command runs scenarios.', {
      from: { pathNot: '^bench/(main\\.js$|scenarios/|test/)' },
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
