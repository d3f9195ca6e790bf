/**
 * `--lan`: the page for phones and computers on the same network, over HTTPS at this machine's
 * address.
 *
 * @import { Config } from './config/config.js'
 */

import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { renderUnicodeCompact } from 'uqr';
import { ConfigError } from './errors/config-error.js';
import { EVERY_HOST } from './config/config.js';

/**
 * Addresses of other machines (RFC 5737 and RFC 3849), one for each family. Nothing is sent: the
 * system chooses the address from which it would be.
 */
const FAR = Object.freeze([
  { family: /** @type {const} */ ('udp4'), address: '198.51.100.1' },
  { family: /** @type {const} */ ('udp6'), address: '2001:db8::1' },
]);

/** Any port: nothing is sent. */
const FAR_PORT = 9;

/** Interfaces of virtual machines, containers and tunnels, which no phone reaches. */
const VIRTUAL = /^(docker|br-|veth|virbr|vmnet|vboxnet|utun|tun|tap|wg|zt|tailscale|cni|flannel)/;

/** Link-local IPv6 addresses need the interface's name, which has no place in a URL. */
const LINK_LOCAL = /^fe[89ab]/i;

const ANSI_WHITE_ON_BLACK = '\x1b[97;40m';
const ANSI_RESET = '\x1b[0m';

/** Commands that let ports through the firewalls of Linux, by the program that is there. */
const FIREWALLS = Object.freeze([
  {
    program: '/usr/sbin/ufw',
    command: (/** @type {string[]} */ ports) =>
      ports.map((port) => `sudo ufw allow ${port}`).join(' && '),
  },
  {
    program: '/usr/bin/firewall-cmd',
    command: (/** @type {string[]} */ ports) =>
      `sudo firewall-cmd ${ports.map((port) => `--add-port=${port}`).join(' ')}`,
  },
]);

/**
 * Parts of the system that the choice of the address asks.
 * @typedef {object} LanSystem
 * @property {(family: 'udp4' | 'udp6', address: string) => Promise<string | null>} sourceFor
 *   address of this machine from which that one is reached; null without a route
 * @property {() => NodeJS.Dict<import('node:os').NetworkInterfaceInfo[]>} interfaces
 */

/** @type {LanSystem} */
const THIS_SYSTEM = { sourceFor, interfaces: networkInterfaces };

/**
 * Chooses this machine's address for devices on the same network, of IPv4 if there is one. It is
 * that of --host, otherwise of the interface with the default route or the first interface.
 * @param {Pick<Config, 'host'>} config
 * @param {LanSystem} [system]
 * @returns {Promise<string>}
 * @throws {ConfigError} naming --lan or --host
 */
export async function lanAddress({ host }, system = THIS_SYSTEM) {
  const candidates = addressesOf(system.interfaces());
  if (!EVERY_HOST.has(host)) {
    if (candidates.all.has(host)) return host;
    const there = [...candidates.all].join(', ') || 'none';
    throw new ConfigError({
      option: '--host',
      value: host,
      allowed: 'an address of this machine on the network, with --lan',
      sentence:
        `--host ${host} is no address at which others on the network reach this machine, as ` +
        `--lan needs; choose one of its addresses (${there}), or leave --host out.`,
    });
  }
  // A server at 0.0.0.0 has no IPv6 address.
  const reached = FAR.filter(({ family }) => host === '::' || family === 'udp4');
  for (const { family, address } of reached) {
    const source = await system.sourceFor(family, address);
    if (source !== null && candidates.all.has(source)) return source;
    const [first] = candidates[family];
    if (first) return first;
  }
  if (candidates.udp6.length > 0)
    throw new ConfigError({
      option: '--host',
      value: host,
      allowed: 'left out with --lan on a network without IPv4',
      sentence:
        `--host ${host} takes IPv4 alone, and this machine has only IPv6 on the network; leave ` +
        `--host out, or give one of its addresses (${candidates.udp6.join(', ')}).`,
    });
  throw new ConfigError({
    option: '--lan',
    value: true,
    allowed: 'left out without a network',
    sentence:
      '--lan needs an address on a network, of IPv4 or IPv6, and this machine has none; connect ' +
      'it to the network, or name its address with --host.',
  });
}

/** @param {NodeJS.Dict<import('node:os').NetworkInterfaceInfo[]>} interfaces */
function addressesOf(interfaces) {
  const infos = Object.entries(interfaces).flatMap(([name, list = []]) =>
    list
      .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
      .map(({ address }) => ({ address, isVirtual: VIRTUAL.test(name) })),
  );
  const real = infos.filter(({ isVirtual }) => !isVirtual).map(({ address }) => address);
  return {
    all: new Set(infos.map(({ address }) => address)),
    udp4: real.filter((address) => !isIPv6(address)),
    udp6: real.filter((address) => isIPv6(address)),
  };
}

/** @type {LanSystem['sourceFor']} */
function sourceFor(family, address) {
  return new Promise((resolve) => {
    const socket = createSocket(family);
    const end = (/** @type {string | null} */ found) => {
      socket.close();
      resolve(found);
    };
    socket.once('error', () => end(null));
    socket.connect(FAR_PORT, address, () => end(socket.address().address));
  });
}

/**
 * The page's URL at an address.
 * @param {string} address
 * @param {number} port
 */
export const lanUrl = (address, port) =>
  `https://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;

/**
 * Report for the person who starts the server.
 * @param {string} address
 * @param {number} port  of the page
 * @param {number | null} h3Port
 */
export function lanReport(address, port, h3Port) {
  const url = lanUrl(address, port);
  return { url, lines: lanLines(url, { port, h3Port, isTerminal: process.stdout.isTTY }) };
}

/**
 * Explains how devices reach the page, and shows its QR code.
 * @param {string} url
 * @param {{ port: number, h3Port: number | null, isTerminal?: boolean, platform?: string,
 *   hasFile?: (path: string) => boolean }} options
 * @returns {string[]} lines for the person who starts the server
 */
export function lanLines(
  url,
  { port, h3Port, isTerminal = false, platform = process.platform, hasFile = existsSync },
) {
  const ports = [`${port}/tcp`, ...(h3Port === null ? [] : [`${h3Port}/udp`])];
  const named = `TCP port ${port}${h3Port === null ? '' : ` and UDP port ${h3Port}`}`;
  const qr = renderUnicodeCompact(`${url}/`, { border: 2 }).split('\n');
  return [
    'Devices on the same network open it by this code:',
    // The colours make it dark on light on every terminal, as cameras expect it.
    ...qr.map((line) => (isTerminal ? `${ANSI_WHITE_ON_BLACK}${line}${ANSI_RESET}` : line)),
    'Their browser warns, because this machine made the certificate: continue once (Advanced, ' +
      'then Proceed; in Safari: Show Details, then visit this website).',
    `If they don't reach it, let ${named} through this machine's firewall` +
      `${firewallCommand(ports, platform, hasFile)}.`,
  ];
}

/**
 * @param {string[]} ports  as 8080/tcp
 * @param {string} platform
 * @param {(path: string) => boolean} hasFile
 */
function firewallCommand(ports, platform, hasFile) {
  if (platform === 'darwin') return ' (System Settings, Network, Firewall: allow node)';
  if (platform === 'win32') {
    const rules = ports.map((port) => {
      const [number, protocol] = port.split('/');
      return (
        `netsh advfirewall firewall add rule name=aloud dir=in action=allow ` +
        `protocol=${protocol} localport=${number}`
      );
    });
    return `, as administrator: ${rules.join('; ')}`;
  }
  const firewall = FIREWALLS.find(({ program }) => hasFile(program));
  return firewall ? `: ${firewall.command(ports)}` : '';
}
