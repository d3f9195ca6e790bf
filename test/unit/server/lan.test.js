import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../server/config/config.js';
import { lanAddress, lanLines, lanUrl } from '../../../server/lan.js';

/** @param {Record<string, string[]>} interfaces addresses by interface @param {string[]} sources */
function systemOf(interfaces, sources = []) {
  return {
    sourceFor: async (/** @type {'udp4' | 'udp6'} */ family) =>
      sources.find((address) => address.includes(':') === (family === 'udp6')) ?? null,
    interfaces: () =>
      /** @type {any} */ (
        Object.fromEntries(
          Object.entries(interfaces).map(([name, addresses]) => [
            name,
            addresses.map((address) => ({ address, internal: name === 'lo' })),
          ]),
        )
      ),
  };
}

const lo = ['127.0.0.1', '::1'];

describe('the address for devices on the same network', () => {
  /** @type {[string, Record<string, string[]>, string[], string][]} */
  const cases = [
    [
      'is that of the default route',
      { lo, eth0: ['10.0.0.7'], wlan0: ['192.168.1.5', 'fd00::5'] },
      ['192.168.1.5'],
      '192.168.1.5',
    ],
    [
      'without a route is the first interface’s that devices reach',
      { lo, docker0: ['172.17.0.1'], wlan0: ['fe80::1', '192.168.1.5'] },
      [],
      '192.168.1.5',
    ],
    ['without IPv4 is one of IPv6', { lo, wlan0: ['fe80::1', 'fd00::5'] }, ['fd00::5'], 'fd00::5'],
  ];
  it.each(cases)('%s', async (_name, interfaces, sources, address) => {
    expect(await lanAddress({ host: '::' }, systemOf(interfaces, sources))).toBe(address);
  });

  it('is --host, which must be one of this machine’s', async () => {
    const system = systemOf({ lo, wlan0: ['192.168.1.5'], tun0: ['10.8.0.2'] }, ['10.8.0.2']);
    expect(await lanAddress({ host: '192.168.1.5' }, system)).toBe('192.168.1.5');
    for (const host of ['192.168.1.6', 'localhost', '127.0.0.1']) {
      await expect(lanAddress({ host }, system)).rejects.toThrow(
        `--host ${host} is no address at which others on the network reach this machine, as ` +
          '--lan needs; choose one of its addresses (192.168.1.5, 10.8.0.2), or leave --host out.',
      );
    }
  });

  it('is none of IPv6 where --host takes IPv4 alone', async () => {
    const system = systemOf({ lo, wlan0: ['fe80::1', 'fd00::5'] }, ['fd00::5']);
    await expect(lanAddress({ host: '0.0.0.0' }, system)).rejects.toThrow(
      '--host 0.0.0.0 takes IPv4 alone, and this machine has only IPv6 on the network; leave ' +
        '--host out, or give one of its addresses (fd00::5).',
    );
    await expect(lanAddress({ host: '0.0.0.0' }, systemOf({ lo }))).rejects.toThrow(/^--lan needs/);
  });

  it('must be there', async () => {
    const error = await lanAddress({ host: '::' }, systemOf({ lo, eth0: ['fe80::1'] })).catch(
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toMatch(/^--lan needs an address on a network/);
  });

  it('is in a URL', () => {
    expect(lanUrl('192.168.1.5', 8080)).toBe('https://192.168.1.5:8080');
    expect(lanUrl('fd00::5', 443)).toBe('https://[fd00::5]:443');
  });
});

describe('the lines of --lan', () => {
  const url = 'https://192.168.1.5:8080';
  const ports = { port: 8080, h3Port: 4433 };

  it('have a QR code that cameras read on a terminal of any colours', () => {
    const plain = lanLines(url, ports);
    const coloured = lanLines(url, { ...ports, isTerminal: true });
    const rows = plain.filter((line) => /^[█▀▄ ]+$/.test(line));
    expect(rows.length).toBeGreaterThan(12);
    for (const row of rows) expect(coloured).toContain(`\x1b[97;40m${row}\x1b[0m`);
  });

  it.each([
    ['linux', '/usr/sbin/ufw', ': sudo ufw allow 8080/tcp && sudo ufw allow 4433/udp.'],
    [
      'linux',
      '/usr/bin/firewall-cmd',
      ': sudo firewall-cmd --add-port=8080/tcp --add-port=4433/udp.',
    ],
    ['linux', 'none', 'this machine’s firewall.'],
    ['darwin', 'none', ' (System Settings, Network, Firewall: allow node).'],
    ['win32', 'none', 'protocol=udp localport=4433.'],
  ])('on %s with %s name the ports for the firewall', (platform, program, end) => {
    const lines = lanLines(url, { ...ports, platform, hasFile: (path) => path === program });
    const line = lines[lines.length - 1];
    expect(line).toContain('TCP port 8080 and UDP port 4433');
    expect(line.endsWith(end.replace('’', "'"))).toBe(true);
  });

  it('name no UDP port without HTTP/3', () => {
    expect(lanLines(url, { port: 8080, h3Port: null }).join(' ')).not.toContain('UDP');
  });
});

describe('--lan', () => {
  it('goes with neither --domain nor --cert, and may have plain HTTP', () => {
    const load = (/** @type {string[]} */ ...argv) => loadConfig({ argv: ['--lan', ...argv] });
    expect(() => load('--cert', 'a', '--key', 'b')).toThrow(/^--lan must be left out with --cert/);
    expect(() => load('--domain', 'a.example', '--acme-email', 'a@b.example')).toThrow(
      /^--lan must be left out with --domain/,
    );
    expect(load('--http-port', '8081').httpPort).toBe(8081);
    expect(() => loadConfig({ argv: ['--http-port', '8081'] })).toThrow(/--http-port/);
  });
});
