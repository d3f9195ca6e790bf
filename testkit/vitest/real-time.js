/**
 * Settings of test projects that run in real time, over sockets or in browsers. They give a busy
 * machine time, and repeat a disturbed measurement (testkit/undisturbed.js).
 */
export const REAL_TIME = {
  hookTimeout: 60_000,
  testTimeout: 120_000,
  expect: { poll: { timeout: 10_000, interval: 100 } },
};
