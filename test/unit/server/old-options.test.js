import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../server/config/config.js';
import { OLD_OPTIONS } from '../../../server/config/old-options.js';
import plugin from '../../../testkit/plugin.js';

/** @typedef {import('../../../server/config/old-options.js').Replacement} Replacement */

const CLUSTER = ['--cluster-key', 'k'.repeat(32), '--cluster'];

const DOMAIN = ['--domain', 'a.example', '--acme-email'];

/**
 * Old command lines, and what they are today. Old options are named in the first alone.
 * @type {[string[], string[]][]}
 */
const SAME = [
  [
    ['--forward-way', 'now'],
    ['--delivery', 'packets'],
  ],
  [
    ['--forward-way', 'bundle'],
    ['--delivery', 'tick'],
  ],
  [
    ['--forward-way', 'now', '--delivery', 'reply'],
    ['--delivery', 'reply'],
  ],
  [
    ['--max-server-delay-ms', '250'],
    ['--server-delay-ms', 'auto:250'],
  ],
  [
    ['--max-server-delay-ms', '250', '--server-delay-ms', '60'],
    ['--server-delay-ms', '60'],
  ],
  [
    ['--received-target', '98'],
    ['--server-delay-ms', 'auto:400/98'],
  ],
  [
    ['--max-server-delay-ms', '250', '--received-target', '98'],
    ['--server-delay-ms', 'auto:250/98'],
  ],
  [
    ['--received-target', '98', '--server-delay-ms', '60'],
    ['--server-delay-ms', '60'],
  ],
  [
    ['--opus-frames', '2'],
    ['--frame-ms', '2x10'],
  ],
  [
    ['--frame-ms', '80', '--opus-frames', '8'],
    ['--frame-ms', '8x10'],
  ],
  [
    ['--frame-ms', '10', '--opus-frames', '1'],
    ['--frame-ms', '10'],
  ],
  [
    ['--allowed-hosts', 'a.example', '--allowed-hosts', '*.b.example'],
    ['--hostname', 'a.example', '--hostname', '*.b.example'],
  ],
  [
    ['--allowed-hosts', 'b', '--hostname', 'a'],
    ['--hostname', 'a', '--hostname', 'b'],
  ],
  [
    ['--listener-stride', '3'],
    ['--listener-bitrate', 'auto/3'],
  ],
  [
    ['--listener-stride', '1', '--listener-bitrate', '32000'],
    ['--listener-bitrate', '32000/1'],
  ],
  [
    ['--listener-stride', 'auto'],
    ['--listener-bitrate', 'auto'],
  ],
  [
    [...DOMAIN, 'ann@a.example', '--acme-directory', 'https://ca.example/dir'],
    [...DOMAIN, 'ann@a.example,https://ca.example/dir'],
  ],
  [['--acme-directory', 'https://ca.example/dir'], []],
  [
    ['--recording-limit-mb', '0'],
    ['--recording-limit', '0MB'],
  ],
  [
    ['--recording-keep-hours', '48'],
    ['--recording-limit', '48h'],
  ],
  [
    ['--recording-limit-mb', '5', '--recording-keep-hours', '6'],
    ['--recording-limit', '5MB,6h'],
  ],
  [
    ['--trust-proxy', '1', '--proxy-header', 'forwarded'],
    ['--trust-proxy', '1,forwarded'],
  ],
  [
    ['--trust-proxy', '1', '--proxy-header', 'x-forwarded-for'],
    ['--trust-proxy', '1'],
  ],
  [['--proxy-header', 'forwarded'], []],
  [
    [...CLUSTER, 'nats://ann:tea@a,nats://b/', '--cluster-name', 'north'],
    [...CLUSTER, 'nats://ann:tea@a,nats://b/north'],
  ],
  [['--cluster-name', 'north'], []],
  [
    ['--log-level', 'debug'],
    ['--log', 'debug'],
  ],
  [
    ['--log-format', 'json'],
    ['--log', 'json'],
  ],
  [['--log-format', 'auto'], []],
  [
    ['--log-level', 'warn', '--log-format', 'text'],
    ['--log', 'warn,text'],
  ],
  [
    ['--metrics-port', '9464'],
    ['--metrics', '9464'],
  ],
  [
    ['--metrics-port', 'off'],
    ['--metrics', 'off'],
  ],
  [
    ['--metrics-port', '9464', '--metrics-host', '::'],
    ['--metrics', '[::]:9464'],
  ],
  [['--metrics-host', '0.0.0.0'], []],
  // The new name wins.
  [
    ['--metrics', '9465', '--metrics-port', '9464'],
    ['--metrics', '9465'],
  ],
  [
    ['--log', 'json', '--log-level', 'debug'],
    ['--log', 'json'],
  ],
  [
    ['--recording-limit', '7h', '--recording-limit-mb', '9'],
    ['--recording-limit', '7h'],
  ],
];

/**
 * @param {Parameters<typeof loadConfig>[0]} given
 * @returns {{ config: ReturnType<typeof loadConfig>, old: Replacement[] }}
 */
function load(given) {
  /** @type {Replacement[]} */
  const old = [];
  return { config: loadConfig({ ...given, onOld: (option) => old.push(option) }), old };
}

describe('an old option', () => {
  it.each(SAME)('%j is the same as %j', (argv, today) => {
    const { config, old } = load({ argv });
    expect(config).toEqual(loadConfig({ argv: today }));
    expect(old.length).toBeGreaterThan(0);
    expect(load({ argv: today }).old).toEqual([]);
  });

  it('has a case above, or is for measuring alone', () => {
    const shown = new Set(SAME.flatMap(([argv]) => argv));
    for (const { row, now } of OLD_OPTIONS)
      expect(now === null || shown.has(`--${row.name}`), row.name).toBe(true);
  });

  it.each([
    [{ argv: ['--log-level', 'debug'] }, '--log-level debug', '--log debug'],
    [{ env: { ALOUD_LOG_LEVEL: 'debug' } }, 'ALOUD_LOG_LEVEL=debug', 'ALOUD_LOG=debug'],
    [
      { argv: ['--config', 'x'], readFile: () => '{"log-level":"debug"}' },
      '"log-level": "debug"',
      '"log": "debug"',
    ],
    [{ env: { ALOUD_ALLOWED_HOSTS: 'a,b' } }, 'ALOUD_ALLOWED_HOSTS=a,b', 'ALOUD_HOSTNAME=a,b'],
    [{ argv: ['--echo'] }, '--echo true', 'nothing: it is for measuring alone'],
    [{ argv: ['--metrics-host', '::'] }, '--metrics-host ::', 'nothing: it changes nothing here'],
    [
      { argv: [...CLUSTER, 'nats://ann:t@ea@a', '--cluster-name', 'north'] },
      '--cluster-name north',
      '--cluster nats://a/north',
    ],
  ])('%j is reported with what to write in the same place', (given, option, write) =>
    expect(load(given).old).toEqual([{ option, write }]),
  );

  it('that is for measuring alone works without the plugin, and is silent with it', () => {
    const argv = ['--echo', '--relay-from', '5'];
    const { config, old } = load({ argv });
    expect(config).toMatchObject({ echo: true, relayFrom: 5 });
    expect(old).toHaveLength(2);
    const withPlugin = load({ argv, more: plugin.options });
    expect(withPlugin.config).toMatchObject({ echo: true, relayFrom: 5 });
    expect(withPlugin.old).toEqual([]);
  });

  it('is neither in the configuration nor in --help unless it is given', () => {
    const config = loadConfig();
    for (const { row } of OLD_OPTIONS) {
      expect(Object.hasOwn(config, row.key), row.name).toBe(false);
      expect(() => loadConfig({ argv: ['--help'] })).toThrow(
        expect.objectContaining({ text: expect.not.stringContaining(`--${row.name} `) }),
      );
    }
  });

  it.each([
    [['--log-level', 'all'], '--log-level must be error, warn, info or debug; it is "all".'],
    [
      ['--metrics-port', '70000'],
      '--metrics-port must be off or a whole number from 0 to 65535; it is "70000".',
    ],
    [
      ['--opus-frames', '3'],
      '--frame-ms must be 2.5, 5, 10, 20, 40 or 60 (ms), or several Opus frames of such a ' +
        'length; it is "3x6.666666666666667".',
    ],
    [
      ['--frame-ms', '60', '--opus-frames', '70'],
      '--opus-frames must be a whole number from 1 to 8; it is "70".',
    ],
  ])('%j with a wrong value stops the start', (argv, message) => {
    expect(() => loadConfig({ argv })).toThrow(ConfigError);
    expect(() => loadConfig({ argv })).toThrow(message);
  });
});
