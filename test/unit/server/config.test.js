import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedOf, checkValue, parseText } from '../../../server/config/option-value.js';
import {
  audioFormatOf,
  CLUSTER_URL_ALLOWED,
  clusterNameOf,
  readAcme,
  readClusterUrl,
  readFrames,
  readKeys,
  readListenAddress,
  readListenerBitrate,
  readLog,
  readRecordingLimit,
  readServerDelay,
} from '../../../server/config/readers.js';
import { ConfigError, InformationRequest, loadConfig } from '../../../server/config/config.js';
import { choice, OPTIONS } from '../../../server/config/options.js';

/** @typedef {import('../../../server/config/options.js').OptionRow} OptionRow */

/** @param {unknown} content */
const fileOf = (content) => ({
  argv: ['--config', 'aloud.json'],
  readFile: () => (typeof content === 'string' ? content : JSON.stringify(content)),
});

/**
 * @param {Parameters<typeof loadConfig>[0]} given
 * @returns {ConfigError}
 */
function errorOf(given) {
  try {
    loadConfig(given);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was wrong with it');
}

/**
 * Values that a row doesn't allow, as text.
 * @param {Readonly<OptionRow>} option
 */
function wrongTexts(option) {
  switch (option.type) {
    case 'integer':
    case 'number': {
      const { min = 0, max = 0 } = option;
      const texts = [
        '',
        'abc',
        '1e3',
        '0x10',
        ' 5',
        'NaN',
        'Infinity',
        '5,5',
        String(min - 1),
        String(max + 1),
      ];
      return option.type === 'integer' ? [...texts, `${min}.5`] : texts;
    }
    case 'choice':
      return ['', 'none of them', String(option.choices?.[0]).toUpperCase() + ' '];
    case 'boolean':
      return ['', 'yes', '1', 'TRUE'];
    case 'list':
      return ['', 'a b', 'a,,b', 'http://a'];
    case 'origins':
      return [
        '',
        'a.example',
        'https://a.example/x',
        '*,https://a.example',
        'https://a;b.example',
        'ftp://a.example',
        'https://a.example,',
      ];
    case 'host':
      return ['', 'a b', 'http://a', 'x'.repeat(254)];
    case 'path':
      return ['', 'a\0b'];
    case 'domains':
      return [
        '',
        'localhost',
        '*.a.example',
        'a.example,',
        '192.0.2.1',
        'a..example',
        'https://a.example',
      ];
    case 'acme':
      return [
        '',
        'ann',
        'ann@',
        '@a.example',
        'ann@a.example?x=1',
        'ann@a.example,bob@a.example',
        'ann@a.example,',
        'ann@a.example,http://ca.example',
        'https://ca.example',
      ];
    case 'listener-bitrate':
      return ['', '15999', '128001', 'auto/0', 'auto/4', 'auto/', '/3', '64000/3/3', '64k', 'Auto'];
    case 'nats':
      return [
        '',
        'localhost:4222',
        'http://a:4222',
        'nats://',
        'nats://a:0',
        'nats://a/x/y',
        'nats://a/x.y',
        'nats://a/x,nats://b',
        'nats://a,tls://b',
        'nats://a:99999',
      ];
    case 'server-delay':
      return ['', '-1', '2001', 'auto:', 'auto:0', 'auto:2001', 'auto:1.5', 'Auto', '1e3', '5ms'];
    case 'frames':
      return ['', '2', '121', '0x10', '9x10', '8x20', '8x', 'x10', '8×10', '2x2.5x2', '1e1'];
    case 'recording-limit':
      return ['', '1024', '24', '1000001MB', '0h', '87601h', '1MB,2MB', '1mb', '-1MB', '1MB,'];
    case 'log':
      return ['', 'all', 'info,debug', 'text,json', 'info,info', 'Info', 'info;json', 'info,'];
    case 'listen-address':
      return ['', 'on', '65536', '-1', '::1:80', '[::1]', 'a b:80', ':80', '127.0.0.1:', '1.5'];
    case 'name':
      return ['', 'a.b', 'a b', 'x'.repeat(33)];
    case 'cluster-key':
      return ['short', 'x'.repeat(31), `${'x'.repeat(20)} ${'x'.repeat(20)}`];
    case 'page-url':
      return [
        '',
        'a.example',
        'ftp://a.example',
        'https://a.example/path',
        'https://ann@a.example',
        'https://a.example?x',
      ];
    case 'webhooks': {
      const key = `id:${'x'.repeat(32)}`;
      return [
        '',
        'https://a.example/',
        'https://id@a.example/',
        `https://id:${'x'.repeat(31)}@a.example/`,
        `ftp://${key}@a.example/`,
        `https://${key}@`,
      ];
    }
    case 'url':
      return ['', 'a.example', 'http://a.example/', 'https://'];
    case 'proxies':
      return [
        '',
        '0',
        '17',
        '-1',
        '1.5',
        'proxy.example',
        '10.0.0.0/33',
        '10.0.0.0/8/8',
        '::1/129',
        'fe80::1%eth0',
        '10.0.0.1,',
        'forwarded',
        'forwarded,1',
        '1,10.0.0.1',
      ];
    case 'keys':
      return [
        '',
        'id',
        `id:${'x'.repeat(31)}`,
        `:${'x'.repeat(32)}`,
        `a:${'x'.repeat(32)},`,
        `a:${'x'.repeat(32)},a:${'y'.repeat(32)}`,
      ];
    case 'secret':
      return ['', 'x'.repeat(15), 'a secret with spaces in it', 'x'.repeat(300)];
  }
}

it('the table has at most 50 options: a new one replaces two', () =>
  expect(OPTIONS.length).toBeLessThanOrEqual(50));

describe('the defaults', () => {
  it('are those of the table, frozen', () => {
    const config = loadConfig();
    expect(config).toEqual(Object.fromEntries(OPTIONS.map(({ key, fallback }) => [key, fallback])));
    expect(Object.isFrozen(config)).toBe(true);
    expect(config).toMatchObject({
      port: 8080,
      h3Port: 4433,
      serverDelayMs: 'auto',
      delivery: 'tick',
      codec: 'auto',
    });
  });

  it('are allowed by their own rows', () => {
    for (const option of OPTIONS) {
      if (option.fallback !== null)
        expect(checkValue(option, option.fallback), option.name).toEqual(option.fallback);
    }
  });
});

describe('precedence', () => {
  const file = { 'server-delay-ms': 10, bitrate: 24000, complexity: 1, hostname: ['a.example'] };
  const readFile = () => JSON.stringify(file);

  it('is flag, environment, file, default', () => {
    const config = loadConfig({
      argv: ['--server-delay-ms', '30', '--config', 'aloud.json'],
      env: { ALOUD_SERVER_DELAY_MS: '20', ALOUD_BITRATE: '48000', PATH: '/bin' },
      readFile,
    });
    expect(config).toMatchObject({
      serverDelayMs: 30,
      bitrate: 48000,
      complexity: 1,
      hostnames: ['a.example'],
      port: 8080,
    });
  });

  it('takes the file that the flag names before that of ALOUD_CONFIG', () => {
    /** @type {string[]} */
    const read = [];
    const reading = (/** @type {string} */ path) => (read.push(path), '{}');
    loadConfig({ env: { ALOUD_CONFIG: 'b.json' }, readFile: reading });
    loadConfig({
      argv: ['--config', 'a.json'],
      env: { ALOUD_CONFIG: 'b.json' },
      readFile: reading,
    });
    expect(read).toEqual(['b.json', 'a.json']);
  });

  it('lets a flag turn off what the environment turns on', () => {
    const env = { ALOUD_BROADCAST: 'true' };
    expect(loadConfig({ env }).broadcast).toBe(true);
    expect(loadConfig({ env, argv: ['--no-broadcast'] }).broadcast).toBe(false);
    expect(loadConfig({ argv: ['--broadcast'] }).broadcast).toBe(true);
  });

  it('takes a number or a word where both are allowed', () => {
    expect(loadConfig({ argv: ['--server-delay-ms', 'auto'] }).serverDelayMs).toBe('auto');
    expect(loadConfig({ argv: ['--server-delay-ms', '12.5'] }).serverDelayMs).toBe(12.5);
    expect(loadConfig(fileOf({ 'server-delay-ms': 'auto' })).serverDelayMs).toBe('auto');
    expect(errorOf(fileOf({ 'server-delay-ms': 'Auto' })).allowed).toBe(
      'auto, auto:N with N from 1 to 2000 ms and perhaps /SHARE from 50 to 99.99 %, or a number ' +
        'from 0 to 2000 ms',
    );
  });

  it('takes lists as repeated flags, comma-separated variables and arrays', () => {
    expect(loadConfig({ argv: ['--hostname', 'a', '--hostname', '::1'] }).hostnames).toEqual([
      'a',
      '::1',
    ]);
    expect(loadConfig({ env: { ALOUD_HOSTNAME: 'a, b.example' } }).hostnames).toEqual([
      'a',
      'b.example',
    ]);
    expect(loadConfig(fileOf({ hostname: ['a', 'b'] })).hostnames).toEqual(['a', 'b']);
  });
});

describe.each(OPTIONS.map((option) => ({ name: option.name, option })))(
  '--$name',
  ({ name, option }) => {
    it('refuses a wrong value with its name, the value, what is allowed and the source', () => {
      for (const text of wrongTexts(option)) {
        const fromEnv = errorOf({ env: { [option.env]: text } });
        const isSecret = ['secret', 'keys', 'cluster-key', 'webhooks'].includes(option.type);
        const value = isSecret ? undefined : text;
        expect(fromEnv).toMatchObject({
          option: `--${name}`,
          value,
          source: option.env,
          allowed: allowedOf(option),
        });
        if (isSecret && text) expect(fromEnv.message).not.toContain(text);
        else if (!isSecret)
          expect(fromEnv.message).toContain(`; it is ${JSON.stringify(text).slice(0, 80)}`);
        expect(fromEnv.message).toContain(`--${name} must be ${allowedOf(option)}`);
        expect(fromEnv.message).toContain(`(from ${option.env}).`);
        if (option.type === 'boolean') continue;
        const fromFlag = errorOf({ argv: [`--${name}`, text] });
        expect(fromFlag.option).toBe(`--${name}`);
        expect(fromFlag.source).toBe(null);
        expect(fromFlag.message).toContain(allowedOf(option));
      }
    });

    it('refuses the wrong JSON type in the file', () => {
      for (const value of [
        null,
        {},
        [],
        [1],
        option.type === 'boolean' ? 'true' : true,
        1e21,
        -1e21,
      ]) {
        const error = errorOf(fileOf({ [name]: value }));
        expect(error).toMatchObject({
          option: `--${name}`,
          source: 'aloud.json',
          allowed: allowedOf(option),
        });
      }
    });

    it('is in --help with its range, default and variable', () => {
      const help = helpText().replace(/\s+/g, ' ');
      expect(help).toContain(`--${name}`);
      expect(help).toContain(`; ${option.env})`);
    });
  },
);

describe('any text', () => {
  it('is accepted within the row or refused with a ConfigError', () => {
    const anyOption = fc.constantFrom(...OPTIONS);
    const anyText = fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String));
    fc.assert(
      fc.property(anyOption, anyText, (option, text) => {
        const value = parseText(option, text);
        if (value === undefined) {
          expect(errorOf({ env: { [option.env]: text } }).message).toContain(allowedOf(option));
        } else {
          expect(checkValue(option, value)).toEqual(value);
        }
      }),
    );
  });

  it('in the file is accepted or refused with a ConfigError', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json(), fc.dictionary(fc.string(), fc.jsonValue())),
        (content) => {
          try {
            expect(loadConfig(fileOf(content))).toBeDefined();
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
          }
        },
      ),
    );
  });
});

describe('unknown names', () => {
  it.each([
    [{ argv: ['--prt', '5'] }, 'There is no option --prt; did you mean --port?'],
    [{ argv: ['--prt=5'] }, 'There is no option --prt; --help lists them all.'],
    // Its value may be a secret.
    [
      { argv: ['--operator-tokn=a-secret'] },
      'There is no option --operator-tokn; --help lists them all.',
    ],
    [
      { argv: ['--port', '80', 'stray'] },
      'stray belongs to no option; an option begins with --, and --help lists them all.',
    ],
    [{ argv: ['tokn'] }, 'There is no command tokn; did you mean aloud token?'],
    [{ argv: ['lan'] }, 'There is no command lan; did you mean --lan?'],
    [{ argv: ['Listen'] }, 'There is no command Listen; did you mean aloud listen?'],
    [
      { argv: ['serve', '--port', '80'] },
      'There is no command serve; the commands are token, play, listen, check, build, and none ' +
        'at all starts the server.',
    ],
    [{ argv: ['-x'] }, 'There is no option -x; --help lists them all.'],
    [{ argv: ['--broadcast=1'] }, '--broadcast must be true or false; it is "1".'],
    [{ argv: ['--broadcast', 'yes'] }, '--broadcast must be true or false; it is "yes".'],
    [
      { env: { ALOUD_DELAY: '5' } },
      'There is no option ALOUD_DELAY (from the environment); --help lists them all.',
    ],
    [
      { argv: ['--carry', 'any'] },
      'There is no option --carry any more; leave it out: measuring alone needs it ' +
        '(bench/docs/measuring.md).',
    ],
    [
      { env: { ALOUD_LISTENER_RULE: 'probe' } },
      'There is no option ALOUD_LISTENER_RULE any more (from the environment); leave it out: ' +
        'measuring alone needs it (bench/docs/measuring.md).',
    ],
    [
      fileOf({ 'receive-queue': 64 }),
      'There is no option "receive-queue" any more (from aloud.json); leave it out: the engine ' +
        'keeps 64 datagrams of a session.',
    ],
    [fileOf({ delay: 5 }), 'There is no option "delay" (from aloud.json); --help lists them all.'],
    [
      fileOf({ serverDelayMs: 5 }),
      'There is no option "serverDelayMs" (from aloud.json); did you mean server-delay-ms?',
    ],
    [
      fileOf({ config: 'b.json' }),
      'There is no option "config" (from aloud.json); --help lists them all.',
    ],
    [
      fileOf('{"__proto__":1}'),
      'There is no option "__proto__" (from aloud.json); --help lists them all.',
    ],
  ])('%j', (given, message) => expect(errorOf(given).message).toBe(message));
});

it.each([
  [
    { argv: ['--cluster', 'localhost:4222'] },
    `--cluster must be ${CLUSTER_URL_ALLOWED}; it is "localhost:4222".`,
  ],
  [
    { env: { ALOUD_CLUSTER: 'nats://ann:a-secret@host/a/path' } },
    `--cluster must be ${CLUSTER_URL_ALLOWED}; it is "nats://host/a/path" (from ALOUD_CLUSTER).`,
  ],
  ...['ann:a-secret@host:4222', 'nats://ann:a,secret@host', 'nats:/ann:tea@host'].map(
    (url) =>
      /** @type {[any, string]} */ ([
        { argv: ['--cluster', url] },
        `--cluster must be ${CLUSTER_URL_ALLOWED}.`,
      ]),
  ),
])('an address of NATS is refused without its password: %j', (given, message) =>
  expect(errorOf(given).message).toBe(message),
);

describe('an option with several parts', () => {
  it.each([
    [
      readServerDelay,
      'auto',
      { serverDelayMs: 'auto', maxServerDelayMs: 400, receivedTarget: 99.5 },
    ],
    [
      readServerDelay,
      'auto:250/98',
      { serverDelayMs: 'auto', maxServerDelayMs: 250, receivedTarget: 98 },
    ],
    [readServerDelay, 12.5, { serverDelayMs: 12.5, maxServerDelayMs: 400, receivedTarget: 99.5 }],
    [readFrames, 20, { frameMs: 20, opusFrames: 1 }],
    [readFrames, '8x10', { frameMs: 80, opusFrames: 8 }],
    [readFrames, '3x2.5', { frameMs: 7.5, opusFrames: 3 }],
    [readRecordingLimit, '0MB', { megabytes: 0, hours: 24 }],
    [readRecordingLimit, '48h', { megabytes: 1024, hours: 48 }],
    [readRecordingLimit, '48h, 2048MB', { megabytes: 2048, hours: 48 }],
    [readListenerBitrate, 'auto', { listenerBitrate: 'auto', listenerStride: 'auto' }],
    [readListenerBitrate, 32_000, { listenerBitrate: 32_000, listenerStride: 'auto' }],
    [readListenerBitrate, '64000/3', { listenerBitrate: 64_000, listenerStride: 3 }],
    [readListenerBitrate, 'auto/1', { listenerBitrate: 'auto', listenerStride: 1 }],
    [
      readAcme,
      'ann@a.example',
      {
        email: 'ann@a.example',
        directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
      },
    ],
    [
      readAcme,
      'ann@a.example,https://ca.example/dir',
      { email: 'ann@a.example', directoryUrl: 'https://ca.example/dir' },
    ],
    [readLog, 'debug', { level: 'debug', format: null }],
    [readLog, 'json', { level: 'info', format: 'json' }],
    [readLog, 'text,warn', { level: 'warn', format: 'text' }],
    [readListenAddress, 'off', { host: '127.0.0.1', port: null }],
    [readListenAddress, '9464', { host: '127.0.0.1', port: 9464 }],
    [readListenAddress, '0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
    [readListenAddress, '[::]:9464', { host: '::', port: 9464 }],
    [clusterNameOf, 'nats://a:4222,nats://b:4222', 'aloud'],
    [clusterNameOf, 'nats://ann:tea@a:4222,nats://b:4222/north', 'north'],
    [readClusterUrl, 'nats://a,nats://b:1/north', { servers: ['a:4222', 'b:1'] }],
  ])('%o reads %j', (read, value, parts) =>
    expect(/** @type {(value: any) => unknown} */ (read)(value)).toEqual(parts),
  );
});

it('a switch is given with or without its value', () => {
  for (const [argv, broadcast] of /** @type {const} */ ([
    [['--broadcast'], true],
    [['--broadcast', 'true'], true],
    [['--broadcast', 'false'], false],
    [['--broadcast=false'], false],
    [['--no-broadcast'], false],
  ])) {
    expect(loadConfig({ argv: [...argv] }).broadcast).toBe(broadcast);
  }
});

describe('the config file', () => {
  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it holds no object'],
    ['null', 'it holds no object'],
  ])('%s', (content, trouble) => {
    expect(errorOf(fileOf(content)).message).toBe(
      `--config must be the path of a JSON file that holds one object; "aloud.json": ${trouble}.`,
    );
  });

  it('that cannot be read stops the start, with where its path came from', () => {
    const { message } = errorOf({ env: { ALOUD_CONFIG: '/nowhere/aloud.json' } });
    expect(message).toContain(
      `; "/nowhere/aloud.json" (from ALOUD_CONFIG): there is no such file.`,
    );
  });
});

describe('options that depend on each other', () => {
  it.each([
    [
      ['--lan', '--port', '8443', '--http-port', '8443'],
      '--http-port must be another port than --port; it is 8443.',
    ],
    [['--metrics', '8080'], '--metrics must be another port than --port; it is "8080".'],
    [
      ['--lan', '--http-port', '8000', '--host', '10.0.0.1', '--metrics', '10.0.0.1:8000'],
      '--metrics must be another port than --http-port; it is "10.0.0.1:8000".',
    ],
    [
      ['--cluster', 'nats://localhost', '--cluster-key', 'k'.repeat(32), '--host', 'fe80::1%eth0'],
      '--host must be an address without a zone with --cluster, or have --advertise-url beside ' +
        'it: no URL has a zone; it is "fe80::1%eth0".',
    ],
    [
      ['--cluster', 'nats://localhost'],
      '--cluster needs --cluster-key: 32 to 256 letters, digits and -._~+/=, the same ' +
        'on all nodes.',
    ],
    [
      ['--cluster', 'nats://localhost', '--cluster-key', 'k'.repeat(32), '--workers', '2'],
      '--workers must be auto or 0 with --cluster: a node has its rooms on its main thread, ' +
        'and a machine may have several nodes; it is 2.',
    ],
    [
      [
        '--cluster',
        'nats://localhost',
        '--cluster-key',
        'k'.repeat(32),
        '--idle-timeout-ms',
        '6999',
      ],
      '--idle-timeout-ms must be at least 7000 (ms) with --cluster: a node hears every 5 s ' +
        'of those who listen at another; it is 6999.',
    ],
    [
      ['--frame-ms', '80'],
      '--frame-ms must be 2.5, 5, 10, 20, 40 or 60 (ms), or several Opus frames of such a ' +
        'length; it is 80.',
    ],
    [
      ['--frame-ms', '3x15'],
      '--frame-ms must be 2.5, 5, 10, 20, 40 or 60 (ms), or several Opus frames of such a ' +
        'length; it is "3x15".',
    ],
    [['--channels', '3'], '--channels must be 1 or 2; it is "3".'],
    [
      ['--channels', '2', '--codec', 'opusscript', '--frame-ms', '40'],
      '--channels must be 1 with --codec opusscript and Opus frames of more than 20 ms; it is 2.',
    ],
    [
      ['--bitrate', '256000', '--frame-ms', '60'],
      '--bitrate must be at most 158533 (b/s) with --frame-ms 60, to fit a packet; it is 256000.',
    ],
    [
      ['--mode', 'forward', '--delivery', 'reply'],
      '--mode must be mix or auto with --delivery reply; it is "forward".',
    ],
    [['--cert', 'a.pem'], '--cert needs --key: give both or neither.'],
    [['--key', 'a.pem'], '--key needs --cert: give both or neither.'],
    [
      ['--domain', 'a.example'],
      '--domain needs --acme-email, an address for the certificate authority.',
    ],
    [
      [
        '--domain',
        'a.example',
        '--acme-email',
        'ann@a.example',
        '--cert',
        'a.pem',
        '--key',
        'a.pem',
      ],
      "--domain and --cert don't go together: leave one of them out.",
    ],
    [
      ['--domain', 'a.example', '--acme-email', 'ann@a.example', '--http-port', 'off'],
      '--http-port must be a port with --domain: the authority asks there; it is "off".',
    ],
    [
      ['--http-port', '80'],
      '--http-port must be off without --domain, --cert or --lan: there is no HTTPS; it is 80.',
    ],
  ])('%j', (argv, message) => expect(errorOf({ argv }).message).toBe(message));

  it('give a server with a domain the ports of HTTPS, unless others are given', () => {
    const argv = [
      '--domain',
      'Call.Example.org',
      '--domain',
      'b.example',
      '--acme-email',
      'ann@example.org',
    ];
    const given = {
      domains: ['call.example.org', 'b.example'],
      port: 443,
      h3Port: 443,
      httpPort: 80,
    };
    expect(loadConfig({ argv })).toMatchObject(given);
    expect(loadConfig({ argv: [...argv, '--h3-port', '4433'] })).toMatchObject({
      port: 443,
      h3Port: 4433,
    });
    expect(loadConfig()).toMatchObject({
      domains: null,
      port: 8080,
      h3Port: 4433,
      httpPort: 'off',
    });
  });

  it('allow a batch of short frames at a low rate', () => {
    const config = loadConfig({ argv: ['--sample-rate', '8000', '--frame-ms', '8x10'] });
    expect(audioFormatOf(config)).toMatchObject({ sampleRate: 8000, frameMs: 80, opusFrames: 8 });
  });
});

function helpText() {
  try {
    loadConfig({ argv: ['--help'] });
  } catch (error) {
    if (error instanceof InformationRequest) return error.text;
  }
  throw new Error('no help');
}

it('a row that a plugin adds is an option like others', () => {
  const more = [choice('pigeons', ['none', 'many'], 'none', 'birds')];
  expect(loadConfig({ more })).toMatchObject({ pigeons: 'none' });
  expect(loadConfig({ more, argv: ['--pigeons', 'many'] })).toMatchObject({ pigeons: 'many' });
  expect(loadConfig({ more, env: { ALOUD_PIGEONS: 'many' } })).toMatchObject({ pigeons: 'many' });
  expect(() => loadConfig({ more, argv: ['--pigeons', 'few'] })).toThrow(
    '--pigeons must be none or many; it is "few".',
  );
});

describe('a secret with a newline behind it, as a file or a shell gives it', () => {
  const secret = 'a-secret-of-at-least-32-characters';
  const others = { ALOUD_CLUSTER: 'nats://localhost', ALOUD_CLUSTER_KEY: secret };

  it.each(['\n', '\r\n', ' \n'])(
    'is the secret without it (%j), for each option with one',
    (end) => {
      const env = {
        ALOUD_OPERATOR_TOKEN: `${secret}${end}`,
        ALOUD_KEYS: `main:${secret}${end}`,
        ALOUD_CLUSTER: `nats://ann:tea@localhost${end}`,
        ALOUD_CLUSTER_KEY: `${secret}${end}`,
      };
      const config = loadConfig({ env });
      expect([config.operatorToken, config.clusterKey]).toEqual([secret, secret]);
      expect(readKeys(config.keys)?.get('main')).toBe(secret);
      expect(readClusterUrl(config.cluster)).toMatchObject({
        servers: ['localhost:4222'],
        pass: 'tea',
      });
      const content = JSON.stringify({
        'operator-token': env.ALOUD_OPERATOR_TOKEN,
        'cluster-key': env.ALOUD_CLUSTER_KEY,
      });
      expect(loadConfig({ argv: ['--config', 'x.json'], readFile: () => content })).toMatchObject({
        operatorToken: secret,
        clusterKey: secret,
      });
    },
  );

  it.each(['ALOUD_OPERATOR_TOKEN', 'ALOUD_CLUSTER_KEY'])(
    'is refused with one within it (%s)',
    (name) => {
      expect(() => loadConfig({ env: { ...others, [name]: `${secret}\n${secret}` } })).toThrow(
        /letters, digits/,
      );
    },
  );
});

describe('information', () => {
  it('--version', () => {
    const version = () => loadConfig({ argv: ['--version'], version: '1.2.3' });
    expect(version).toThrow(expect.objectContaining({ text: '1.2.3\n' }));
    expect(version).toThrow(InformationRequest);
  });
});
