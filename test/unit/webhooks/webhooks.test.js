import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebhookReceiver } from 'livekit-server-sdk';
import { Webhooks } from '../../../server/webhooks/webhooks.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { logTo } from '../../../testkit/log-lines.js';

const SECRET = 'a-secret-of-at-least-thirty-two-characters';
const URL_WITH_KEY = `https://hooks:${SECRET}@example.org/aloud?channel=7`;
const JOINED = Object.freeze({
  event: /** @type {const} */ ('participant_joined'),
  room: 'tea',
  participant: { id: '3', name: 'Ann', identity: null },
});

/** Waits, since signatures are made on another thread. @param {() => void} expectation */
const until = (expectation) => vi.waitFor(expectation, { interval: 1 });

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/**
 * Waits for a request, and until its answer is handled.
 * @param {unknown[]} requests
 * @param {number} count
 */
async function asked(requests, count) {
  await until(() => expect(requests.length).toBeGreaterThanOrEqual(count));
  await turn();
}

/** @type {{ webhooks: Webhooks, clock: FakeClock }[]} */
const open = [];
afterEach(async () => {
  for (const { webhooks, clock } of open.splice(0)) {
    const closed = webhooks.close();
    clock.advance(5000);
    await closed;
  }
});

/**
 * Webhooks whose first receiver gives the listed answers, and then 200, as the others do at once.
 * An answer is a status, an error, or 'never'.
 * @param {(number | Error | 'never')[]} answers
 * @param {string[]} [urls]
 */
function world(answers = [], urls = [URL_WITH_KEY]) {
  const clock = new FakeClock();
  const first = new URL(urls[0]).host;
  /** @type {{ url: string, body: string, authorization: string, type: string }[]} */
  const requests = [];
  const fetch = vi.fn(
    async (/** @type {URL} */ url, /** @type {any} */ { body, headers, signal }) => {
      // Signatures may be ready in another order than they were asked for.
      const answer = (url.host === first && answers.shift()) || 200;
      requests.push({
        url: String(url),
        body,
        authorization: headers.authorization,
        type: headers['content-type'],
      });
      if (answer instanceof Error) throw answer;
      if (answer === 'never') {
        signal.throwIfAborted();
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }
      return new Response(null, { status: answer });
    },
  );
  const lines = /** @type {string[]} */ ([]);
  const webhooks = new Webhooks(urls, {
    clock,
    wallNow: Date.now,
    log: logTo(lines),
    fetch: /** @type {any} */ (fetch),
  });
  open.push({ webhooks, clock });
  return { clock, requests, lines, webhooks };
}

describe('a webhook', () => {
  it('gets an event whose signature the receiver of a LiveKit SDK accepts', async () => {
    const { webhooks, requests } = world();
    webhooks.take(JOINED);
    await until(() => expect(webhooks.states[0].delivered).toBe(1));
    const [{ url, body, authorization, type }] = requests;
    expect(url).toBe('https://example.org/aloud?channel=7');
    expect(type).toBe('application/webhook+json');
    const event = await new WebhookReceiver('hooks', SECRET).receive(body, authorization);
    expect(event).toMatchObject({
      event: 'participant_joined',
      room: { name: 'tea' },
      participant: { sid: '3', identity: '3', name: 'Ann' },
    });
    expect(event.id).toMatch(/^EV_[0-9a-f-]{36}$/);
    expect(Math.abs(Number(event.createdAt) - Date.now() / 1000)).toBeLessThan(10);
    await expect(
      new WebhookReceiver('hooks', SECRET).receive(`${body} `, authorization),
    ).rejects.toThrow();
    await expect(
      new WebhookReceiver('hooks', SECRET.toUpperCase()).receive(body, authorization),
    ).rejects.toThrow();
  });

  it('gets events in their order, and again after an error, at growing intervals', async () => {
    const { clock, webhooks, requests } = world([503, new Error('no route'), 429]);
    webhooks.take(JOINED);
    webhooks.take({ event: 'room_finished', room: 'tea' });
    for (const [count, waitMs] of [1000, 2000, 4000].entries()) {
      await asked(requests, count + 1);
      clock.advance(waitMs - 1);
      await turn();
      expect(requests).toHaveLength(count + 1);
      clock.advance(1);
    }
    await asked(requests, 5);
    expect(requests.map(({ body }) => JSON.parse(body).event)).toEqual([
      ...Array(4).fill('participant_joined'),
      'room_finished',
    ]);
    expect(new Set(requests.slice(0, 4).map(({ body }) => JSON.parse(body).id)).size).toBe(1);
    expect(webhooks.states[0]).toMatchObject({
      delivered: 2,
      retried: 3,
      dropped: 0,
      problem: null,
    });
  });

  it.each([400, 401, 404, 302])('that answers %i gets the event once', async (status) => {
    const { webhooks, requests, lines } = world([status]);
    webhooks.take(JOINED);
    await until(() => expect(webhooks.states[0].dropped).toBe(1));
    webhooks.take({ event: 'room_finished', room: 'tea' });
    await until(() => expect(webhooks.states[0].delivered).toBe(1));
    expect(requests.map(({ body }) => JSON.parse(body).numDropped)).toEqual([undefined, 1]);
    expect(lines.join()).toContain(`status ${status}`);
    expect(lines.join() + JSON.stringify(webhooks.states)).not.toContain(SECRET);
    expect(lines.join() + JSON.stringify(webhooks.states)).not.toContain('channel');
  });

  it('that never answers is asked again for 10 min, and 1000 events wait for it', async () => {
    const { clock, webhooks, requests } = world(Array(100).fill('never'));
    for (let i = 0; i < 1500; i++) webhooks.take(JOINED);
    expect(webhooks.states[0]).toMatchObject({ waiting: 1000, dropped: 500 });
    for (let count = 1; webhooks.states[0].dropped === 500; count++) {
      await asked(requests, count);
      clock.advance(4999);
      await turn();
      expect(webhooks.states[0].problem).toBe(count === 1 ? null : 'no answer within 5 s');
      clock.advance(1);
      await turn();
      expect(webhooks.states[0].problem).toBe('no answer within 5 s');
      clock.advance(60_000);
    }
    expect(clock.now()).toBeGreaterThan(600_000);
    expect(webhooks.states[0].retried).toBeGreaterThan(3);
  });

  it('gets an event that comes right when the one before it has been accepted', async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      let hasAnswered = false;
      const clock = new FakeClock();
      const next = async () => {
        for (let i = 0; i < ticks; i++) await null;
        webhooks.take(JOINED);
      };
      const cancel = async () => {
        if (!hasAnswered) void next();
        hasAnswered = true;
      };
      const webhooks = new Webhooks([URL_WITH_KEY], {
        clock,
        wallNow: Date.now,
        log: logTo([]),
        fetch: /** @type {any} */ (async () => ({ ok: true, status: 200, body: { cancel } })),
      });
      open.push({ webhooks, clock });
      webhooks.take(JOINED);
      await until(() => expect([ticks, webhooks.states[0].delivered]).toEqual([ticks, 2]));
    }
  });

  it('delays no other', async () => {
    const other = `http://other:${SECRET}@localhost:9/`;
    const { webhooks, requests } = world(['never'], [URL_WITH_KEY, other]);
    webhooks.take(JOINED);
    webhooks.take(JOINED);
    await until(() => expect(webhooks.states[1].delivered).toBe(2));
    await until(() => expect(requests).toHaveLength(3));
    expect(webhooks.states[0]).toMatchObject({ delivered: 0, waiting: 2 });
  });

  it('gets what waits when the server closes, for 2 s', async () => {
    const { clock, webhooks, lines, requests } = world([200, 'never']);
    webhooks.take(JOINED);
    webhooks.take(JOINED);
    const closed = webhooks.close();
    await until(() => expect(webhooks.states[0]).toMatchObject({ delivered: 1, waiting: 1 }));
    await until(() => expect(requests).toHaveLength(2));
    clock.advance(2000);
    await closed;
    expect(webhooks.states[0]).toMatchObject({ delivered: 1, waiting: 0, dropped: 1 });
    expect(lines.join()).toContain('the server has closed');
    expect(clock.waiting).toBe(0);
  });
});
