import { describe, expect, it, vi } from 'vitest';
import { PcmRing } from '../../../server/source/pcm-ring.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @param {Person} listener @param {Person} person @param {number} gain */
const volume = (listener, person, gain) =>
  listener.session.handler?.control({ type: 'volume', person: person.id, gain });

/** @param {ConstructorParameters<typeof Conference>[0]} [options] */
async function threeAndBob(options) {
  const conference = new Conference(options);
  const people = [];
  for (const name of ['Ann', 'Bob', 'Cid', 'Dot']) people.push(await conference.join(name));
  return { conference, people };
}

describe.each(/** @type {const} */ (['tick', 'reply']))(
  "a listener's own volumes, delivery %s",
  (delivery) => {
    /** @param {(frame: number, people: Person[]) => void} at */
    async function call(at) {
      const { conference, people } = await threeAndBob({ delivery, serverDelayMs: 60 });
      const [ann, bob, cid, dot] = people;
      for (let frame = 0; frame < 40; frame++) {
        conference.pass(1);
        at(frame, people);
        await ann.speak(frame, 0.1);
        await bob.speak(frame, 0.2);
        await cid.speak(frame, null);
        await dot.speak(frame, null);
      }
      conference.pass(5);
      return Promise.all(people.map((person) => person.heard()));
    }

    it('change what it hears alone: gain 0 is silence of one, to the sample', async () => {
      const [atAnn, , atCid, atDot] = await call((frame, [ann, bob, cid]) => {
        if (frame === 0) volume(cid, ann, 0);
        if (frame === 0) volume(ann, bob, 2);
      });
      for (let frame = 5; frame < 40; frame++) {
        expect(new Set(atCid.get(frame)?.map((value) => Math.round(value * 1000)))).toEqual(
          new Set([200]),
        );
        expect(new Set(atDot.get(frame)?.map((value) => Math.round(value * 1000)))).toEqual(
          new Set([300]),
        );
        expect(new Set(atAnn.get(frame)?.map((value) => Math.round(value * 1000)))).toEqual(
          new Set([400]),
        );
      }
    });

    it('move within a frame, and back to what all hear', async () => {
      const [, , atCid, atDot] = await call((frame, [ann, , cid]) => {
        if (frame === 10) volume(cid, ann, 3);
        if (frame === 20) volume(cid, ann, 1);
      });
      const pcm = [...Array(35).keys()]
        .flatMap((i) => i + 5)
        .flatMap((frame) => [...(atCid.get(frame) ?? [])]);
      let largest = 0;
      for (let i = 1; i < pcm.length; i++)
        largest = Math.max(largest, Math.abs(pcm[i] - pcm[i - 1]));
      // The fake codec keeps every eighth sample: 0.2 within a frame is 0.0017 from one to the
      // next.
      expect(largest).toBeLessThan(0.0025);
      expect(Math.max(...pcm)).toBeCloseTo(0.5, 3);
      expect(atCid.get(35)).toEqual(atDot.get(35));
    });

    it('have left-right positions in stereo rooms only, and move there in one frame', async () => {
      for (const channels of [1, 2]) {
        const {
          conference,
          people: [ann, bob, cid],
        } = await threeAndBob({ delivery, channels, serverDelayMs: 60 });
        for (let frame = 0; frame < 40; frame++) {
          conference.pass(1);
          if (frame === 20)
            cid.session.handler?.control({ type: 'volume', person: ann.id, gain: 1, pan: -0.75 });
          await ann.speak(frame, 0.2);
          await bob.speak(frame, 0.1);
          if (delivery === 'reply') await cid.speak(frame, null);
        }
        conference.pass(5);
        const heard = await cid.heard();
        const [left, right] = [0, channels - 1].map((c) =>
          [...Array(30).keys()].flatMap((i) =>
            [...(heard.get(i + 6) ?? [])].filter((_, v) => v % channels === c),
          ),
        );
        expect(Math.max(...left.map((value) => Math.abs(value - 0.3)))).toBeLessThan(0.002);
        expect(right.at(-1)).toBeCloseTo(channels === 2 ? 0.15 : 0.3, 2);
        let largest = 0;
        for (let i = 1; i < right.length; i++)
          largest = Math.max(largest, Math.abs(right[i] - right[i - 1]));
        expect(largest).toBeLessThan(0.0025);
      }
    });

    it('are refused of oneself, of nobody, and beyond 4', async () => {
      const {
        people: [ann, bob],
      } = await threeAndBob({ delivery });
      volume(ann, ann, 2);
      volume(ann, bob, 4.1);
      volume(ann, bob, -1);
      ann.session.handler?.control({ type: 'volume', person: '99', gain: 1 });
      ann.session.handler?.control({ type: 'volume', person: bob.id, gain: 1, pan: 1.1 });
      expect(ann.stats()?.dropped.control).toBe(5);
      volume(ann, bob, 4);
      expect(ann.stats()?.dropped.control).toBe(5);
    });
  },
);

describe("a listener's own volumes", () => {
  it('silence one from the first sample of a word on, when they were set in a pause', async () => {
    const {
      conference,
      people: [ann, bob, cid],
    } = await threeAndBob();
    for (let frame = 0; frame < 60; frame++) {
      conference.pass(1);
      if (frame < 10 || frame >= 50) await ann.speak(frame, 0.1);
      if (frame === 30) volume(cid, ann, 0);
    }
    conference.pass(5);
    const [atBob, atCid] = [await bob.heard(), await cid.heard()];
    for (let frame = 50; frame < 60; frame++) {
      expect(atBob.get(frame)?.[0]).toBeCloseTo(0.1, 3);
      expect(atCid.get(frame)).toBe(null);
    }
  });

  it('are forgotten when the person they concern leaves', async () => {
    const {
      conference,
      people: [ann, , cid],
    } = await threeAndBob();
    volume(cid, ann, 0);
    ann.session.close(0, '');
    const again = await conference.join('Ann');
    conference.pass(1);
    const frame = Math.floor(conference.sampleClock.now() / 960) - 1;
    await again.speak(frame, 0.1);
    conference.pass(5);
    expect((await cid.heard()).get(frame)?.[0]).toBeCloseTo(0.1, 3);
  });

  it('visit no other source when they are set', async () => {
    const {
      people: [ann, bob],
    } = await threeAndBob();
    const resize = vi.spyOn(PcmRing.prototype, 'resize');
    for (let i = 0; i < 10; i++) volume(ann, bob, i / 10);
    expect(resize).not.toHaveBeenCalled();
    resize.mockRestore();
  });
});
