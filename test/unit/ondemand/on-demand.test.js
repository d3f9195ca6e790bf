import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { Bans } from '../../../server/access/bans.js';
import { OnDemand } from '../../../server/ondemand/on-demand.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { logTo } from '../../../testkit/log-lines.js';
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
  const onDemand = new OnDemand({ recordings, bans, clock, log: logTo() });
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

/** A recording of a room, and who listens to it. */
function recorded() {
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
  /** @type {string[]} */
  const lines = [];
  const onDemand = new OnDemand({ recordings, bans, clock, log: logTo(lines) });
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
  return { clock, bans, listen, lines };
}

it('a network that is banned while it listens is sent nothing more', async () => {
  const { clock, bans, listen } = recorded();
  const [eve, ann] = [await listen('203.0.113.9:4000'), await listen('203.0.113.8:4000')];
  clock.advance(1000);
  expect([eve.ends, ann.ends]).toEqual([0, 0]);
  bans.add('tea', 'Eve', { identity: null, tokenId: null, network: '203.0.113.9' }, 60_000);
  clock.advance(1000);
  expect([eve.closedWith, eve.ends, ann.ends]).toEqual([errors.banned.close, 1, 0]);
});

it('a fault in the timer of one who listens ends that session alone', async () => {
  const { clock, bans, listen, lines } = recorded();
  const [eve, ann] = [await listen('203.0.113.9:4000'), await listen('203.0.113.8:4000')];
  bans.has = (_room, { network }) => {
    if (network === '203.0.113.9') throw new Error('on purpose');
    return false;
  };
  clock.advance(1000);
  expect([eve.closedWith, eve.ends, ann.ends]).toEqual([errors.internal.close, 1, 0]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^session failed .*"room":"tea","peer":"203.0.113.9:4000".*on purpose/);
});
