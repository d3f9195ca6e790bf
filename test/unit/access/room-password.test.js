import { describe, expect, it } from 'vitest';
import { RoomPassword } from '../../../server/access/room-password.js';

describe('RoomPassword', () => {
  it('knows its password, however its letters are composed', async () => {
    const password = new RoomPassword('caf\u00e9');
    expect(await password.is('cafe\u0301')).toBe(true);
    expect(await password.is('cafe')).toBe(false);
    expect(await password.is('')).toBe(false);
  });
});
