import { DEFAULTS, load } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import {
  carriesBothWays,
  countsPushedOut,
  isNotHeld,
  LIVE_WINDOW,
  speaking,
} from '../../../testkit/congestion-cases.js';
import { closeAll, nativeTests, newCertificate, until } from '../../../testkit/native.js';

afterEach(closeAll);

const cubic = { congestionController: 'cubic' };

nativeTests.describe('native engine: congestion', () => {
  it('carries datagrams and streams both ways, and tells its controller', () =>
    carriesBothWays(cubic));

  it.each([40, 160, 430])('counts what is pushed out of a full queue: %i bytes', (length) =>
    countsPushedOut(cubic, length),
  );

  it.each(['vegas', 'copa', 'newreno', 'cubic-bare'])('has no %s', async (name) => {
    const { Endpoint: Native } = load();
    const native = new Native({ ...DEFAULTS, congestionController: name }, () => {});
    const { certPem, keyPem } = await newCertificate();
    const error = `there is no congestion controller ${name}`;
    expect(() => native.listen('127.0.0.1', 0, certPem, keyPem)).toThrow(error);
    expect(() => native.connect('https://localhost/', [], [])).toThrow(error);
    native.shutdown();
  });

  it('does not hold live sound back for what is lost by chance', () => isNotHeld(cubic));

  it('holds it back where a queue fills, and no longer', async () => {
    const { way, stats } = await speaking(cubic);
    await until(() => stats().cwnd >= LIVE_WINDOW);
    Object.assign(way, { delayMs: 300, lossIn: 4 });
    await until(() => stats().cwnd < LIVE_WINDOW / 4, 15_000);
    Object.assign(way, { delayMs: 0, lossIn: 0 });
    await until(() => stats().cwnd >= LIVE_WINDOW, 15_000);
  });
});
