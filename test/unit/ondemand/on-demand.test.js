import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { Bans } from '../../../server/access/bans.js';
import { OnDemand } from '../../../server/ondemand/on-demand.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { settle } from '../../fakes/conference.js';

it('a network banned from the recording’s room is refused as banned; others aren’t', async () => {
  const clock = new FakeClock();
  const bans = new Bans(clock);
  bans.add('tea', 'Eve', { identity: null, tokenId: null, network: '203.0.113.9' }, 60_000);
  const recordings = /** @type {any} */ ({
    roomOf: async () => 'tea',
    // The file was deleted by hand in between.
    locate: () => null,
    wasRemoved: () => false,
    whenRemoved() {},
  });
  const onDemand = new OnDemand({ recordings, bans, clock, log: { warn() {} } });
  const answerTo = async (/** @type {string} */ peer) => {
    /** @type {unknown[]} */
    const answers = [];
    onDemand.requested(
      /** @type {any} */ ({
        query: 'id=x',
        peer,
        accept: () => answers.push('accepted'),
        reject: (/** @type {number} */ status) => answers.push(status),
      }),
    );
    for (let i = 0; i < 10 && answers.length === 0; i++) await settle();
    return answers;
  };
  expect(await answerTo('203.0.113.9:4000')).toEqual([errors.banned.status]);
  expect(await answerTo('203.0.113.8:4000')).toEqual([errors['not-found'].status]);
  await onDemand.close();
});

it('a network that is banned while it listens is sent nothing more', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'aloud-on-demand-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const segments = { rates: [16_000], channels: 1, count: 3, whole: true };
  writeFileSync(join(directory, 'segments.json'), JSON.stringify(segments));
  const clock = new FakeClock();
  const bans = new Bans(clock);
  const recordings = /** @type {any} */ ({
    roomOf: async () => 'tea',
    locate: (/** @type {string} */ _id, /** @type {string} */ file) => ({ root: directory, file }),
    wasRemoved: () => false,
    isOpen: () => false,
    whenRemoved() {},
  });
  const onDemand = new OnDemand({ recordings, bans, clock, log: { warn() {} } });
  onTestFinished(() => onDemand.close());
  /** @param {string} peer */
  const listen = async (peer) => {
    const native = { request: { query: 'id=x' }, peer, ends: 0, closedWith: 0 };
    await new Promise((accept) => {
      onDemand.requested(/** @type {any} */ ({ query: 'id=x', peer, accept, reject: accept }));
    });
    const close = (/** @type {number} */ code) => void (native.closedWith = code);
    onDemand.opened(
      /** @type {any} */ (Object.assign(native, { close })),
      () => void (native.ends += 1),
    );
    await settle();
    return native;
  };
  const [eve, ann] = [await listen('203.0.113.9:4000'), await listen('203.0.113.8:4000')];
  clock.advance(1000);
  expect([eve.ends, ann.ends]).toEqual([0, 0]);
  bans.add('tea', 'Eve', { identity: null, tokenId: null, network: '203.0.113.9' }, 60_000);
  clock.advance(1000);
  expect([eve.closedWith, eve.ends, ann.ends]).toEqual([errors.banned.close, 1, 0]);
});
