import { expect, it, onTestFinished, vi } from 'vitest';
import { sendOwnFile } from '../../../../public/client/call/own-files.js';
import { MAX_OWN_PIECE_BYTES } from '../../../../public/shared/limits.js';

/** Time after which the server ends a request, in milliseconds. */
const SERVER_MS = 30_000;

const TO = { url: '/api/recordings/x', resume: 'token' };

/**
 * Sends a file over an uplink.
 * @param {number} bytes  of the file
 * @param {object} path
 * @param {(sent: number) => number} path.bytesPerMs  after a number of sent bytes
 * @param {number} [path.atOnce]  pieces after which the server has too many, once
 * @param {number} [path.busyFrom]  pieces after which the server has too many for good
 * @param {readonly [number, number]} [path.goneMs]  time without a network, from and to
 */
async function send(
  bytes,
  { bytesPerMs, atOnce = Infinity, busyFrom = Infinity, goneMs: [goneMs, backMs] = [0, 0] },
) {
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    setTimeout(/** @type {() => void} */ run, /** @type {number} */ ms) {
      nowMs += ms;
      run();
    },
    clearTimeout: () => {},
  };
  /** @type {{ at: number, bytes: number, ms: number, status: number, beganMs: number }[]} */
  const requests = [];
  let sent = 0;
  const upload = async (/** @type {string} */ url, /** @type {{ body: Blob }} */ { body }) => {
    if (nowMs >= goneMs && nowMs < backMs) throw new TypeError('fetch failed');
    const [beganMs, ms] = [nowMs, body.size / bytesPerMs(sent)];
    nowMs += Math.min(ms, SERVER_MS);
    const isBusy = requests.length === atOnce || requests.length >= busyFrom;
    const status = ms > SERVER_MS ? 0 : isBusy ? 429 : 204;
    requests.push({ at: Number(url.split('=')[1]), bytes: body.size, ms, status, beganMs });
    if (status === 0) throw new TypeError('fetch failed');
    if (status === 204) sent += body.size;
    const headers = new Headers(isBusy ? { 'Retry-After': '3' } : {});
    const json = async () => ({ code: 'too-many-requests' });
    return { ok: status === 204, status, headers, json };
  };
  vi.stubGlobal('fetch', upload);
  onTestFinished(() => void vi.unstubAllGlobals());
  const shares = /** @type {number[]} */ ([]);
  const file = /** @type {File} */ (new Blob([new Uint8Array(bytes)]));
  const code = await sendOwnFile(file, TO, (share) => void shares.push(share), clock);
  return { code, requests, sent, shares };
}

it('an own file goes over a slow uplink, in pieces that need less than 10 s each', async () => {
  const { code, requests, sent, shares } = await send(3_000_000, { bytesPerMs: () => 32 });
  expect([code, sent, shares.at(-1)]).toEqual([null, 3_000_000, 1]);
  expect(Math.max(...requests.map(({ ms }) => ms))).toBeLessThan(10_000);
});

it('an own file goes over a fast uplink in the largest pieces', async () => {
  const { code, requests, sent } = await send(20_000_000, { bytesPerMs: () => 50_000 });
  expect([code, sent]).toEqual([null, 20_000_000]);
  expect(requests[2].bytes).toBe(MAX_OWN_PIECE_BYTES);
  expect(requests.length).toBeLessThan(15);
});

it('an own file goes on in small pieces over a slower uplink, and after too many', async () => {
  const bytesPerMs = (/** @type {number} */ sent) => (sent < 5_000_000 ? 10_000 : 32);
  const { code, requests, sent } = await send(8_000_000, { bytesPerMs, atOnce: 2 });
  expect([code, sent]).toEqual([null, 8_000_000]);
  expect(requests.map(({ status }) => status)).toEqual(expect.arrayContaining([0, 429]));
  expect(requests[3].at).toBe(requests[2].at);
});

it('an own file waits for a busy server as it asks, ever longer, and not for ever', async () => {
  const { code, requests, sent } = await send(3_000_000, { bytesPerMs: () => 240, busyFrom: 2 });
  const busy = requests.slice(2);
  expect([code, sent]).toEqual(['too-many-requests', requests[2].at]);
  const waits = busy.slice(1).map(({ beganMs, ms }, i) => beganMs - busy[i].beganMs - ms);
  expect(waits.map((ms) => Math.round(ms / 1000))).toEqual([3, 3, 6, 12, 24]);
});

it('an own file goes on in the smallest pieces after a time without a network', async () => {
  const path = /** @type {const} */ ({ bytesPerMs: () => 32, goneMs: [7000, 30_000] });
  const { code, sent } = await send(3_000_000, path);
  expect([code, sent]).toEqual([null, 3_000_000]);
});

it('an own file isn’t sent over an uplink that is too slow for the smallest piece', async () => {
  const { code, requests } = await send(3_000_000, { bytesPerMs: () => 4 });
  expect([code, requests.length]).toEqual(['own-not-sent', 2]);
});

it('an own file isn’t sent when the network stays away', async () => {
  const path = /** @type {const} */ ({ bytesPerMs: () => 32, goneMs: [7000, Infinity] });
  const { code, sent } = await send(3_000_000, path);
  expect([code, sent]).toEqual(['own-not-sent', 240_000]);
});
