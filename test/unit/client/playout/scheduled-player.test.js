import { describe, expect, it } from 'vitest';
import { ScheduledPlayer } from '../../../../public/client/playout/scheduled-player.js';

describe('ScheduledPlayer', () => {
  /** An audio context that only notes what is scheduled. */
  function setUp() {
    const time = { ms: 0, /** @type {() => void} */ look: () => {}, stopped: false };
    /** @type {{ start: number, duration: number }[]} */
    const scheduled = [];
    const context = {
      state: 'running',
      sampleRate: 48_000,
      get currentTime() {
        return time.ms / 1000;
      },
      createBuffer: (/** @type {number} */ _, /** @type {number} */ length) => ({
        duration: length / 48_000,
        copyToChannel: () => {},
      }),
      createBufferSource: () => ({
        buffer: /** @type {any} */ (null),
        connect: () => {},
        start(/** @type {number} */ start) {
          scheduled.push({ start, duration: this.buffer.duration });
        },
      }),
    };
    const asked = { frames: 0, calls: 0, leadMs: 0 };
    const player = new ScheduledPlayer(
      /** @type {any} */ (context),
      /** @type {any} */ ({}),
      (frames, leadMs) => {
        asked.frames += frames;
        asked.calls += 1;
        asked.leadMs = leadMs;
      },
      {
        now: () => time.ms,
        setInterval: (run) => void (time.look = run),
        clearInterval: () => void (time.stopped = true),
      },
    );
    return { time, context, scheduled, asked, player };
  }

  it('asks for what it needs, and plays one frame after the other', () => {
    const { time, scheduled, asked, player } = setUp();
    for (; time.ms < 2000; time.ms += 20) {
      time.look();
      for (; asked.frames > 0; asked.frames--) player.add(new Float32Array(960));
    }
    expect(player.underruns).toBe(0);
    expect(asked.leadMs).toBe(120);
    for (let i = 1; i < scheduled.length; i++) {
      expect(scheduled[i].start).toBeCloseTo(scheduled[i - 1].start + 0.02, 9);
    }
    expect(scheduled[scheduled.length - 1].start).toBeGreaterThan(1.98);
    expect(scheduled[scheduled.length - 1].start).toBeLessThan(2.2);
  });

  it('asks for nothing while sound is held back, nor without end while no answer comes', () => {
    const { time, context, asked, player } = setUp();
    context.state = 'suspended';
    time.look();
    expect(asked.frames).toBe(0);
    context.state = 'running';
    for (; time.ms < 900; time.ms += 20) time.look();
    expect(asked.frames).toBeLessThanOrEqual(16);
    time.ms = 3000;
    time.look();
    expect(asked.calls).toBeGreaterThan(1);
    player.close();
    expect(time.stopped).toBe(true);
  });

  it('counts when it runs out, and goes on from now', () => {
    const { time, scheduled, player } = setUp();
    player.add(new Float32Array(960));
    time.ms = 1000;
    player.add(new Float32Array(960));
    player.add(new Float32Array(0));
    expect(player.underruns).toBe(1);
    expect(scheduled.length).toBe(2);
    expect(scheduled[1].start).toBeGreaterThanOrEqual(1);
  });
});
