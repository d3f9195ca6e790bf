import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';

/**
 * A room in which everybody sends each frame, and one person each sixtieth 390 ms late.
 * @param {number | 'auto'} serverDelayMs
 */
async function roomWithOneWhoIsLate(serverDelayMs) {
  const conference = new Conference({ serverDelayMs, maxServerDelayMs: 400 });
  const people = /** @type {import('../../fakes/conference.js').Person[]} */ ([]);
  for (const name of ['Ann', 'Bob', 'Eve']) people.push(await conference.join(name));
  const eve = people[2];
  /** @param {number} frames */
  const pass = async (frames) => {
    for (let i = 0; i < frames; i++) {
      const frame = Math.floor(conference.sampleClock.now() / conference.format.frameSamples);
      conference.pass(1);
      for (const person of people) {
        const isLate = person === eve && frame % 60 === 0;
        const bytes = await person.packet(frame, 0.1);
        const send = () => person.session.handler?.packet(bytes, conference.clock.now());
        if (isLate) conference.clock.setTimeout(send, 390);
        else send();
      }
    }
  };
  return { conference, people, eve, pass };
}

describe('who is waited for', () => {
  it('is told to everybody, to newcomers, and over HTTP, and told no more once they are muted', async () => {
    const { conference, people: [ann], eve, pass } = await roomWithOneWhoIsLate('auto');
    await pass(400);
    const [told] = ann.session.told('waited');
    expect(told.people).toEqual([{ id: eve.id, delayMs: expect.any(Number) }]);
    expect(told.people[0].delayMs).toBeGreaterThan(380);
    expect(ann.session.told('waited').length).toBe(1);
    const { delay, serverDelayMs } = conference.rooms.get('lab')?.describe() ?? {};
    expect(serverDelayMs).toBeGreaterThan(300);
    expect(delay?.waited).toEqual(told.people);
    const late = await conference.join('Cid');
    expect(late.session.told('welcome')[0].waited).toEqual(told.people);
    late.session.close(0, 'left');
    eve.session.handler?.control({ type: 'mute', muted: true });
    await pass(150);
    expect(ann.session.told('waited').at(-1).people).toEqual([]);
  });

  it('is nobody where the delay is a fixed one', async () => {
    const { people: [ann], pass } = await roomWithOneWhoIsLate(60);
    await pass(400);
    expect(ann.session.told('waited')).toEqual([]);
  });
});
