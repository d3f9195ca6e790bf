import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '@aloud/native';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkCommand } from '../../server/check/check-command.js';
import { generateCertificate } from '../../server/certificate/generate.js';
import { InformationRequest, loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** @type {string} */
let directory;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'aloud-check-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** @param {...string} argv */
async function check(...argv) {
  /** @type {string[]} */
  const lines = [];
  const directories = ['--cert-dir', directory, '--recording-dir', join(directory, 'new')];
  const isWell = await checkCommand([...directories, ...argv], {
    env: {},
    print: (line) => lines.push(line),
  });
  return { isWell, lines, text: lines.join('\n') };
}

const free = ['--port', '0', '--h3-port', '0', '--host', '127.0.0.1'];

describe('aloud check', () => {
  it('before a start tries ports, UDP, files and directories', async () => {
    const { isWell, text } = await check(...free, '--codec', 'libopus-wasm');
    expect(isWell).toBe(true);
    expect(text).toMatch(/^ok {4}--codec libopus-wasm loads$/m);
    expect(text).toMatch(/^ok {4}--port 0: TCP port free$/m);
    expect(text).toMatch(/^ok {4}a datagram to 127\.0\.0\.1, UDP port \d+ arrives$/m);
    expect(text).toMatch(
      /^note {2}only a browser elsewhere .*: start the server, and open .*\/lab/m,
    );
    expect(text).toMatch(/^\w+ +\d+ files may be open/m);
    expect(text).toMatch(/^ok {4}--recording-dir \S+\/new: \d+ MB free$/m);
  });

  requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative).it(
    'asks a running server, and opens a session to it',
    async () => {
      const argv = ['--port', '0', '--h3-port', '0', '--cert-dir', directory];
      const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
      try {
        const { isWell, text } = await check('--port', String(server.port));
        expect(isWell).toBe(true);
        expect(text).toMatch(new RegExp(`^ok    aloud \\d\\S+ runs at port ${server.port}$`, 'm'));
        expect(text).toMatch(
          new RegExp(`^ok    HTTP/3 at localhost, UDP port ${server.h3Port}: a session in`, 'm'),
        );
      } finally {
        await server.close();
      }
    },
  );

  it('asks at the address to which other nodes send people', async () => {
    const argv = [...free, '--engine', 'none', '--cert-dir', directory];
    const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
    const closed = createTcpServer();
    await new Promise((resolve) => void closed.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (closed.address());
    await new Promise((resolve) => void closed.close(resolve));
    const ask = (/** @type {number} */ there) =>
      check(
        ...['--host', '127.0.0.1', '--port', String(server.port), '--engine', 'none'],
        ...['--advertise-url', `http://127.0.0.1:${there}`],
      );
    try {
      expect((await ask(server.port)).text).toMatch(
        /^ok {4}--advertise-url http:\S+ leads to aloud \d/m,
      );
      const wrong = await ask(port);
      expect([wrong.isWell, wrong.text]).toEqual([
        true,
        expect.stringMatching(
          /^warn {2}--advertise-url http:\S+ leads to no aloud server \(ECONNREFUSED\): /m,
        ),
      ]);
    } finally {
      await server.close();
    }
  });

  it('names a taken port, with what to do', async () => {
    const taken = createTcpServer();
    await new Promise((resolve) => void taken.listen(0, '127.0.0.1', () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (taken.address());
    taken.on('connection', (socket) => socket.destroy());
    const { isWell, lines } = await check(...free, '--port', String(port));
    expect(isWell).toBe(false);
    expect(lines).toContain(
      `fail  --port ${port} is already in use: choose a free port, or 0 for any`,
    );
    await new Promise((resolve) => void taken.close(resolve));
  });

  it('reads the certificate', async () => {
    const made = await generateCertificate({ hosts: ['a.example'], now: new Date(), days: 3 });
    const old = await generateCertificate({
      hosts: ['a.example'],
      now: new Date(Date.now() - 4 * 86_400_000),
      days: 2,
    });
    const files = ['--cert', join(directory, 'cert.pem'), '--key', join(directory, 'key.pem')];
    writeFileSync(files[3], made.keyPem);
    writeFileSync(files[1], made.certPem);
    const soon = await check(...free, ...files);
    expect([soon.isWell, soon.text]).toEqual([
      true,
      expect.stringMatching(/^warn {2}--cert \S+ is valid for 2 days: renew it/m),
    ]);
    writeFileSync(files[1], old.certPem);
    const wrong = await check(...free, ...files);
    expect([wrong.isWell, wrong.text]).toEqual([
      false,
      expect.stringMatching(/^fail {2}--key \S+ can't be used \(it is not the key of/m),
    ]);
  });

  it('names the file that is missing', async () => {
    const made = await generateCertificate({ hosts: ['a.example'], now: new Date(), days: 3 });
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    writeFileSync(cert, made.certPem);
    const { isWell, text } = await check(...free, '--cert', cert, '--key', key);
    expect(isWell).toBe(false);
    expect(text).toMatch(
      /^fail {2}--key \S+key\.pem can't be used \(it can't be read \(ENOENT\)\): /m,
    );
  });

  it('tells an absent NATS, and a node on a local network', async () => {
    const { isWell, text } = await check(
      ...free,
      ...['--cluster', 'nats://127.0.0.1:1', '--cluster-key', 'k'.repeat(32)],
      ...['--advertise-url', 'https://10.255.255.1', '--engine', 'none'],
    );
    expect(isWell).toBe(false);
    expect(text).toMatch(/^fail {2}NATS at 127\.0\.0\.1:1 can't be used \(.+\): start it/m);
    expect(text).toMatch(
      /^warn {2}--advertise-url https:\/\/10\.255\.255\.1 is on a local network: /m,
    );
  });

  it('tells a directory that can’t be written, or has too little room', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const wrong = await check(...free, '--recording-dir', join(file, 'below'));
    expect(wrong.text).toMatch(/^fail {2}--recording-dir \S+ can't be written \(E\w+\): give/m);
    const full = await check(...free, '--recording-limit', '1000000MB');
    expect(full.text).toMatch(
      /^warn {2}--recording-dir .* and 1000000 MB may be needed: free some/m,
    );
  });

  it('tells what to write in place of an old option', async () => {
    const { text } = await check(...free, '--metrics-port', '0');
    expect(text).toMatch(/^warn {2}--metrics-port 0 is accepted .*: write --metrics 0$/m);
    expect(text).toMatch(/^ok {4}--metrics 0: TCP port free$/m);
  });

  it('has a help, and takes the server’s options only', async () => {
    await expect(check('--help')).rejects.toThrow(InformationRequest);
    await expect(check('--prot', '1')).rejects.toThrow('did you mean --port?');
  });
});
