import { describe, expect, it } from 'vitest';
import { installCommand, listOf, thisSystem } from '../../../native/tools.js';

/** @import { Missing, Tool } from '../../../native/tools.js' */

/** @type {Missing[]} */
const ALL = [
  { tool: 'cargo', what: 'cargo (Rust)' },
  { tool: 'cc', what: 'a C compiler' },
  { tool: 'cmake', what: 'cmake' },
  { tool: 'make', what: 'make' },
];
const only = (/** @type {Tool} */ tool) => ALL.filter((each) => each.tool === tool);

describe('the commands for missing tools', () => {
  it.each([
    ['ID=debian\nVERSION_ID="12"\n', 'debian'],
    ['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', 'debian'],
    ['ID="almalinux"\nID_LIKE="rhel centos fedora"\n', 'fedora'],
    ['ID=alpine\n', 'alpine'],
    ['ID=manjaro\nID_LIKE=arch\n', 'arch'],
    ['ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', 'suse'],
    ['ID=nixos\n', undefined],
    [null, undefined],
  ])('are chosen by os-release: %j', (release, name) => {
    expect(thisSystem({ platform: 'linux', release })?.name).toBe(name);
  });

  it.each([
    [
      'debian',
      'sudo apt-get install -y curl ca-certificates gcc libc6-dev cmake make && ' +
        "curl --proto '=https' -sSf https://sh.rustup.rs | sh -s -- -y",
    ],
    ['fedora', 'sudo dnf install -y cargo gcc cmake make'],
    ['alpine', 'doas apk add cargo gcc musl-dev cmake make'],
    ['arch', 'sudo pacman -S --needed --noconfirm rust gcc cmake make'],
    ['darwin', 'xcode-select --install && brew install rust cmake'],
    ['win32', 'winget install Rustlang.Rustup Kitware.CMake'],
  ])('on %s install everything', (name, command) => {
    expect(installCommand(ALL, { name })).toBe(command);
  });

  it('install nothing else, without sudo for root', () => {
    expect(installCommand(only('cmake'), { name: 'debian', isRoot: true })).toBe(
      'apt-get install -y cmake',
    );
    expect(installCommand([], { name: 'debian' })).toBeNull();
    expect(installCommand(ALL, null)).toBeNull();
  });

  it('bring an old Rust up to date', () => {
    expect(installCommand([{ tool: 'rust', what: 'Rust' }], { name: 'fedora' })).toMatch(
      /^curl .*rustup\.rs \| sh -s -- -y$/,
    );
  });

  it('go with a list of what is missing', () => {
    expect(listOf(ALL)).toBe('cargo (Rust), a C compiler, cmake and make');
    expect(listOf(only('cc'))).toBe('a C compiler');
  });
});
