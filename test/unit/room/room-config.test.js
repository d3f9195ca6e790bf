import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../server/config/options.js';
import { configFor, roomConfigOf } from '../../../server/room/room-config.js';

const config = roomConfigOf(DEFAULTS);

describe('a room’s configuration', () => {
  it('is plain data', () => {
    expect(structuredClone(config)).toEqual(config);
    expect(
      structuredClone(configFor(config, { channels: 2 }, { maxFrameValues: 5760 })).format.channels,
    ).toBe(2);
  });

  it('has the first one’s frames and channels, where the codec has them', () => {
    const asked = configFor(config, { frameMs: 10, channels: 2 }, { maxFrameValues: 5760 });
    expect([asked.format.frameMs, asked.format.channels, asked.bitrate]).toEqual([10, 2, 96_000]);
    expect(configFor(config, { frameMs: 2.5 }, { maxFrameValues: 5760 }).bitrate).toBe(64_000);
    const refused = configFor(config, { channels: 2 }, { maxFrameValues: 960 });
    expect([refused.format.channels, refused.bitrate]).toEqual([1, 48_000]);
  });
});
