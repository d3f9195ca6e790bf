import { expect, it, vi } from 'vitest';

it('a test that waits has more than a second for it, unless it says less', async () => {
  let isThere = false;
  setTimeout(() => (isThere = true), 1500);
  await vi.waitFor(() => expect(isThere).toBe(true));
  isThere = false;
  const startMs = performance.now();
  await expect(vi.waitFor(() => expect(isThere).toBe(true), 50)).rejects.toThrow();
  await expect(
    vi.waitFor(() => expect(isThere).toBe(true), { timeout: 50, interval: 5 }),
  ).rejects.toThrow();
  expect(performance.now() - startMs).toBeLessThan(10_000);
});
