import { describe, expect, it } from 'vitest';
import { PacketReader, withLength } from '../../../public/shared/wire/stream-packets.js';
import { SureStreams } from '../../../server/transport/sure-streams.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** An engine's session that keeps what is written to its streams. */
function engine({ most = Infinity } = {}) {
  const clock = new FakeClock();
  /** @type {any[]} */
  const streams = [];
  const openStream = () => {
    if (streams.filter(({ isOver }) => !isOver).length >= most) return null;
    const stream = {
      packets: /** @type {number[]} */ ([]),
      ended: false,
      isOver: false,
      codes: /** @type {number[]} */ ([]),
      onStopped: () => {},
      write(/** @type {Uint8Array} */ bytes) {
        stream.ended = !reader.push(bytes);
        return true;
      },
      reset(/** @type {number} */ code) {
        stream.codes.push(code);
        stream.isOver = true;
      },
      arrives() {
        stream.isOver = true;
        stream.onStopped();
      },
    };
    const reader = new PacketReader((bytes) => void stream.packets.push(bytes[0]));
    streams.push(stream);
    return stream;
  };
  const sure = new SureStreams(/** @type {any} */ ({ openStream }), clock);
  let sent = 0;
  const send = (/** @type {number} */ count) => {
    for (let i = 0; i < count; i++) {
      sure.send(withLength(new Uint8Array([sent++ % 256])));
      clock.advance(60);
    }
  };
  return { clock, streams, sure, send };
}

describe('SureStreams', () => {
  it('has a stream for each second, in order, and counts none that the peer has stopped', () => {
    const { streams, sure, send } = engine();
    for (let second = 0; second < 10; second++) {
      send(17);
      streams.filter(({ ended, isOver }) => ended && !isOver).forEach((stream) => stream.arrives());
    }
    expect(streams.map(({ packets }) => packets.length)).toEqual(Array(10).fill(17));
    expect(streams.flatMap(({ packets }) => packets)).toEqual(
      Array.from({ length: 170 }, (_, i) => i),
    );
    expect([sure.size, sure.dropped]).toEqual([1, 0]);
    expect(streams.every(({ codes }) => codes.length === 0)).toBe(true);
  });

  it('resets streams that a slow peer would no longer play, so that at most 3 s wait', () => {
    const { streams, sure, send } = engine();
    for (let i = 0; i < 200; i++) {
      send(17);
      expect(sure.size).toBeLessThan(4);
    }
    expect(sure.dropped).toBe(17 * streams.filter(({ codes }) => codes.length === 1).length);
    expect(sure.dropped).toBeGreaterThan(17 * 195);
    // The listener hears new sound once it can read again.
    expect(streams.at(-1)).toMatchObject({ isOver: false, packets: { length: 17 } });
  });

  it('drops unacknowledged packets to send them again, and reports since when', () => {
    const { clock, streams, sure, send } = engine();
    expect(sure.restart(-Infinity)).toBe(0);
    send(17);
    streams[0].arrives();
    send(18);
    expect(sure.restart(-Infinity)).toBe(18 * 60);
    expect([sure.size, sure.dropped, streams.map(({ codes }) => codes.length)]).toEqual([
      0,
      0,
      [0, 1, 1],
    ]);
    // Repeated packets have been in flight since their first sending, and streams are short now.
    send(1);
    expect(streams.at(-1)).toMatchObject({ isOver: false, packets: [35] });
    expect(sure.restart(-Infinity)).toBe(19 * 60);
    send(20);
    expect(streams.length).toBe(3 + 1 + 4);
    // Neither what would come too late, nor what has arrived, is wanted again.
    expect(sure.restart(-Infinity)).toBe(1200);
    send(10);
    expect(sure.restart(clock.now() - 240)).toBe(240);
  });

  it("counts what it can't send where the peer allows no more streams, and goes on later", () => {
    const { streams, sure, send } = engine({ most: 1 });
    send(20);
    expect([streams.length, sure.dropped]).toEqual([1, 3]);
    streams[0].arrives();
    send(1);
    expect([streams.length, sure.dropped, sure.size]).toEqual([2, 3, 1]);
  });

  it('ends a stream when no more comes for now, and takes another for what comes later', () => {
    const { streams, sure, send } = engine();
    send(2);
    sure.end();
    sure.end();
    expect(streams[0].ended).toBe(true);
    send(1);
    expect(streams.map(({ packets }) => packets)).toEqual([[0, 1], [2]]);
    streams[1].arrives();
    send(1);
    expect(streams[2].packets).toEqual([3]);
  });

  it('takes nothing for lost because no more came for a while', () => {
    const { clock, streams, sure, send } = engine();
    send(3);
    clock.advance(60_000);
    send(1);
    expect([streams[0].ended, sure.size, sure.dropped]).toEqual([true, 2, 0]);
    streams[0].arrives();
    expect(sure.size).toBe(1);
  });
});
