import { expect, it } from 'vitest';
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
