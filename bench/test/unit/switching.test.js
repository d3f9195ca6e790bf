import { describe, expect, it } from 'vitest';
import { CarryChoice } from '../../ways/switching.js';

/**
 * A talker's choices on a path, look by look of 10 packets each.
 * @param {{ looks: number, loss?: number, rttMs?: number }[]} phases  loss: of each 10 packets
 */
function choices(phases) {
  const choice = new CarryChoice();
  let [sentPackets, lostPackets] = [0, 0];
  return phases.map(({ looks, loss = 0, rttMs = 40 }) => {
    const seen = [];
    for (let i = 0; i < looks; i++) {
      sentPackets += 10;
      lostPackets += loss;
      choice.look({ sentPackets, lostPackets, rttMs });
      seen.push(choice.carry);
    }
    return seen;
  });
}

/** Number of looks before the last choice was made. @param {string[]} seen */
const looksUntilLast = (seen) => seen.indexOf(seen[seen.length - 1]);

describe('a talker that changes between datagrams and a stream', () => {
  it('stays with datagrams where nothing is lost, and where a single packet is', () => {
    const [clear, once] = choices([{ looks: 30 }, { looks: 30, loss: 0 }]);
    expect(new Set([...clear, ...once])).toEqual(new Set(['datagrams']));
    const [seen, one, after] = choices([{ looks: 20 }, { looks: 1, loss: 2 }, { looks: 20 }]);
    expect(new Set([...seen, ...one, ...after])).toEqual(new Set(['datagrams']));
  });

  it('takes the stream while a tenth is lost, and comes back after 3 s without loss', () => {
    const [clear, lossy, again] = choices([{ looks: 20 }, { looks: 20, loss: 1 }, { looks: 40 }]);
    expect(clear.at(-1)).toBe('datagrams');
    expect(lossy.at(-1)).toBe('stream');
    expect(looksUntilLast(lossy)).toBeLessThan(8);
    expect(again.at(-1)).toBe('datagrams');
    expect(looksUntilLast(again)).toBeGreaterThanOrEqual(13);
    expect(looksUntilLast(again)).toBeLessThanOrEqual(16);
  });

  it('goes back at once where a queue shows, and does not take the stream there', () => {
    const [, lossy, queued] = choices([
      { looks: 20 },
      { looks: 20, loss: 1 },
      { looks: 20, loss: 1, rttMs: 120 },
    ]);
    expect(lossy.at(-1)).toBe('stream');
    expect(new Set(queued)).toEqual(new Set(['datagrams']));
  });

  it('does not take the stream on a long path, where what is sent again comes too late', () => {
    const [far] = choices([{ looks: 60, loss: 1, rttMs: 200 }]);
    expect(new Set(far)).toEqual(new Set(['datagrams']));
  });
});
