import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CallClient } from '../../../../public/client/call/call-client.js';
import { Declick } from '../../../../public/client/call/changeover.js';
import { ResumeTokens } from '../../../../server/access/resume-token.js';
import { Conference } from '../../../fakes/conference.js';
import { conferenceSockets } from '../../../fakes/conference-socket.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';
import { random as randomOf } from '../../../fakes/random.js';

const origin = 'http://localhost';
const config = { transports: { websocket: { path: '/session' } } };

/** A network that can be cut, and a call in it. */
class Network {
  /** Conference of new connections; a restarted server has another one. */
  conference;
  /** Nothing passes, and neither end gets a notice. */
  cut = false;
  /** Connections and requests are refused at once. */
  refuses = false;
  /** @type {any[]} */
  sockets = [];
  asked = 0;
  /** @type {string[]} */
  urls = [];
  wallOffsetMs = 0;

  /** @param {Conference} conference */
  constructor(conference) {
    this.conference = conference;
    this.clock = conference.clock;
  }

  /** @param {string} name @param {object} [wishes] */
  call(name, wishes) {
    const network = this;
    const codec = new PcmCodec();
    /** @type {any[]} */
    const states = [];
    /** @type {any[]} */
    const people = [];
    /** @type {any[]} */
    const joined = [];
    const random = randomOf(5);
    /** The object that `new WebSocket` gives. */
    function Socket() {
      const Inner = conferenceSockets(network.conference, { loses: () => network.cut });
      const socket = /** @type {any} */ (new Inner());
      const { send } = socket;
      socket.send = (/** @type {any} */ data) => network.cut || send.call(socket, data);
      const { session } = socket;
      const { sendControl, close } = session;
      session.sendControl = (/** @type {object} */ message) => network.cut || sendControl(message);
      session.close = (/** @type {number} */ code, /** @type {string} */ reason) =>
        network.cut ? session.handler?.closed(code, reason) : close(code, reason);
      const opens = socket.onopen;
      network.sockets.push(socket);
      if (network.refuses || network.cut) {
        socket.readyState = 0;
        queueMicrotask(() => {
          socket.onopen = opens;
          if (network.refuses) socket.onclose?.({ code: 1006, reason: '' });
        });
        Object.defineProperty(socket, 'onopen', { get: () => null, set: () => {} });
      }
      return socket;
    }
    const fetch = async (
      /** @type {string} */ url,
      /** @type {{ signal: AbortSignal }} */ { signal },
    ) => {
      network.asked += 1;
      network.urls.push(url);
      if (network.refuses) throw new TypeError('refused');
      if (network.cut) {
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      }
      return { ok: true, json: async () => config };
    };
    const call = new CallClient({
      codec,
      clock: this.clock,
      random,
      wallNow: () => this.clock.now() + this.wallOffsetMs,
      scope: { WebSocket: /** @type {any} */ (Socket), fetch: /** @type {any} */ (fetch) },
    });
    call.store.observe((now, _before, changes) => {
      if (changes.state)
        states.push({ state: now.state, ...now.away, ...now.end, at: this.clock.now() });
      if (changes.people) people.push(now);
      if (changes.joined) joined.push(now.joined);
    });
    const joining = call.join({ join: { room: 'lab', name }, origin, ...wishes });
    joining.catch(() => {});
    return {
      call,
      codec,
      states,
      people,
      joined,
      joining,
      names: () => states.map(({ state }) => state),
    };
  }

  /** @param {number} ms */
  async pass(ms) {
    for (let left = ms; left > 0; left -= 10) {
      this.clock.advance(Math.min(10, left));
      await setImmediate();
    }
  }

  /** @param {() => boolean} look @param {number} [limitMs] */
  async until(look, limitMs = 60_000) {
    const from = this.clock.now();
    while (!look()) {
      if (this.clock.now() - from > limitMs)
        throw new Error(`still not after ${limitMs} ms: ${look}`);
      await this.pass(10);
    }
    return this.clock.now() - from;
  }
}

/** A participant who hears a speaker. */
async function inCall(wishes = {}, options = {}) {
  const network = new Network(new Conference({ silenceSuppression: true, ...options }));
  const ada = network.call('Ada', wishes);
  await network.until(() => ada.call.state === 'joined');
  return { network, ...ada };
}

/** @param {number[]} samples @returns {number} the most in a row that are quiet */
function longestQuiet(samples) {
  let [longest, quiet] = [0, 0];
  for (const sample of samples) {
    quiet = Math.abs(sample) > 0.1 ? 0 : quiet + 1;
    longest = Math.max(longest, quiet);
  }
  return longest;
}

describe('a call that lasts', () => {
  it('comes back within a second when its connection breaks off, as the same person', async () => {
    const { network, call, names, joined, people } = await inCall();
    network.sockets[0].session.close(19, 'gone');
    expect(call.state).toBe('away');
    expect(await network.until(() => call.state === 'joined')).toBeLessThan(1000);
    expect(names()).toEqual(['connecting', 'joined', 'away', 'joined']);
    expect(joined[1].you).toBe(joined[0].you);
    expect(joined[1].resume).toBe(joined[0].resume);
    expect(people.at(-1).people).toMatchObject([{ name: 'Ada', away: false, you: true }]);
    call.leave();
    expect(network.conference.rooms.size).toBe(0);
  });

  it('notices unprompted that nothing comes, and takes over from the old connection', async () => {
    const { network, call, joined, states } = await inCall();
    network.cut = true;
    const noticedMs = await network.until(() => call.state === 'away');
    expect(noticedMs).toBeGreaterThan(1700);
    expect(noticedMs).toBeLessThan(2500);
    await network.pass(5000);
    network.cut = false;
    expect(await network.until(() => call.state === 'joined')).toBeLessThan(12_000);
    expect(joined.at(-1).you).toBe(joined[0].you);
    const { since, nextTry } = states.findLast(({ state }) => state === 'away');
    expect(nextTry).toBeGreaterThan(since);
    call.leave();
  });

  it('goes on over the old connection when that comes back first', async () => {
    const { network, call, joined } = await inCall();
    network.cut = true;
    await network.until(() => call.state === 'away');
    network.refuses = true;
    await network.pass(4500);
    network.cut = false;
    await network.until(() => call.state === 'joined');
    expect(joined).toHaveLength(1);
    await network.pass(10_000);
    expect(call.state).toBe('joined');
    call.leave();
  });

  it('tries quickly at first, then at most every 15 s, and for as long as it takes', async () => {
    const { network, call } = await inCall();
    network.refuses = true;
    network.sockets[0].session.close(19, 'gone');
    const asked = network.asked;
    await network.pass(2000);
    expect(network.asked - asked).toBeGreaterThanOrEqual(2);
    await network.pass(300_000);
    const tries = network.asked - asked;
    expect(tries).toBeGreaterThan(20);
    expect(tries).toBeLessThan(70);
    expect(call.state).toBe('away');
    network.refuses = false;
    expect(await network.until(() => call.state === 'joined')).toBeLessThan(16_000);
    call.leave();
  });

  it('tries at once when the network says that it is back', async () => {
    const { network, call } = await inCall();
    network.refuses = true;
    network.sockets[0].session.close(19, 'gone');
    await network.pass(60_000);
    network.refuses = false;
    call.wake();
    expect(await network.until(() => call.state === 'joined')).toBeLessThan(500);
    call.leave();
  });

  it('does not wait for a try that hangs in a network that is gone', async () => {
    const { network, call } = await inCall();
    network.cut = true;
    await network.until(() => call.state === 'away');
    await network.pass(20);
    network.cut = false;
    call.wake();
    expect(await network.until(() => call.state === 'joined')).toBeLessThan(500);
    call.leave();
  });

  it('joins a restarted server as a new person of the same name, muted as before', async () => {
    const { network, call, joined } = await inCall();
    call.change({ muted: true });
    const before = network.conference;
    network.conference = new Conference({}, before.clock);
    await network.conference.join('Zoe');
    before.rooms.close();
    expect(await network.until(() => call.state === 'joined')).toBeLessThan(1500);
    expect(joined.at(-1).resume).not.toBe(joined[0].resume);
    const people = network.conference.rooms.get('lab')?.describe().people;
    expect(people?.map(({ name, muted }) => [name, muted])).toEqual([
      ['Zoe', false],
      ['Ada', true],
    ]);
    call.leave();
  });

  it('mutes and unmutes in the place that it comes back to', async () => {
    const { network, call } = await inCall({ muted: true });
    const isMuted = () => network.conference.rooms.get('lab')?.describe().people[0].muted;
    network.refuses = true;
    network.sockets[0].session.close(19, 'gone');
    await network.pass(300);
    call.change({ muted: false });
    network.refuses = false;
    await network.until(() => call.state === 'joined');
    expect(isMuted()).toBe(false);
    call.leave();
  });

  it('looks at once after a sleep, whether the clock stood still or not', async () => {
    for (const sleeps of ['clock', 'wall']) {
      const { network, call } = await inCall({}, { idleTimeoutMs: 600_000 });
      network.cut = true;
      if (sleeps === 'clock') network.clock.stall(60_000);
      else network.wallOffsetMs += 60_000;
      network.refuses = false;
      const noticedMs = await network.until(() => call.state === 'away');
      expect(noticedMs).toBeLessThan(1600);
      network.cut = false;
      call.wake();
      await network.until(() => call.state === 'joined');
      call.leave();
    }
  });

  it('notices in just over a second that the announced network carries nothing', async () => {
    const { network, call } = await inCall();
    call.wake();
    await network.pass(3000);
    expect(call.state).toBe('joined');
    network.cut = true;
    call.wake();
    expect(await network.until(() => call.state === 'away')).toBeLessThanOrEqual(1300);
    call.leave();
  });

  it('is over when its place was taken up elsewhere, and does not fight for it', async () => {
    const { network, call, joined, states } = await inCall();
    const other = await network.conference.join('Ada', { resume: joined[0].resume });
    expect(states.at(-1)).toMatchObject({ state: 'ended', code: 'resumed-elsewhere' });
    await network.pass(60_000);
    expect(call.state).toBe('ended');
    expect(other.session.closed?.code ?? 11).toBe(11);
  });

  it('is over when the server says that they do not understand each other', async () => {
    const { network, call, states } = await inCall();
    network.sockets[0].session.close(13, '');
    expect(states.at(-1)).toMatchObject({ state: 'ended', code: 'protocol-version' });
    await network.pass(30_000);
    expect(call.state).toBe('ended');
  });

  it('is refused at first as a client is', async () => {
    const network = new Network(new Conference({ maxParticipants: 1 }));
    await network.conference.join('Zoe');
    const ada = network.call('Ada');
    await network.until(() => ada.call.state === 'ended');
    await expect(ada.joining).rejects.toMatchObject({ code: 'room-full' });
  });

  it('can be left while it is lost, and leaves no timer and no codec', async () => {
    const { network, call, codec, states } = await inCall();
    network.refuses = true;
    network.sockets[0].session.close(19, 'gone');
    await network.pass(3000);
    call.leave();
    call.leave();
    await network.pass(120_000);
    expect(states.at(-1)).toMatchObject({ state: 'ended', code: 'left' });
    expect(states.filter(({ state }) => state === 'ended')).toHaveLength(1);
    expect(codec.open).toBe(0);
    expect(network.clock.waiting).toBe(0);
  });

  it.each([
    ['keeps its place', true, 1],
    ['gives its place up', false, 0],
  ])('%s if left so while it takes the place again', async (_what, keepsPlace, places) => {
    const { network, call, codec, joined } = await inCall();
    const room = network.conference.rooms.get('lab');
    const isPresent = () => room?.describe().people[0]?.away === false;
    network.sockets[0].session.close(19, 'gone');
    expect(isPresent()).toBe(false);
    await network.until(isPresent);
    // The server's answer is on its way.
    expect(call.state).toBe('away');
    call.leave(keepsPlace);
    await network.pass(1000);
    expect([room?.size, codec.open]).toEqual([places, 0]);
    const { you, resume } = joined[0];
    const next = network.call('Ada', { join: { room: 'lab', name: 'Ada', resume } });
    await network.until(() => next.call.state === 'joined');
    if (keepsPlace) expect(next.joined[0].you).toBe(you);
    next.call.leave();
    expect(network.conference.rooms.size).toBe(0);
  });

  it('can be left by a handler that hears of the join, and leaves no timer', async () => {
    const network = new Network(new Conference());
    const { call, codec, states } = network.call('Ada');
    call.store.observe((_now, _before, { joined }) => joined && call.leave());
    await network.pass(2000);
    expect(states.at(-1)).toMatchObject({ state: 'ended', code: 'left' });
    expect([codec.open, network.clock.waiting]).toEqual([0, 0]);
  });

  it('frees its codecs each time, however often it is lost', async () => {
    const { network, call, codec } = await inCall();
    for (let round = 0; round < 10; round++) {
      network.sockets.at(-1).session.close(19, 'gone');
      await network.until(() => call.state === 'joined');
      expect(codec.open).toBe(3);
    }
    call.leave();
    expect(codec.open).toBe(0);
  });

  it('is silence while it is lost, without a click, and sound again afterwards', async () => {
    const { network, call } = await inCall();
    const zoe = await network.conference.join('Zoe');
    const out = new Float32Array(480);
    /** @type {number[]} */
    let heard = [];
    const listen = async (/** @type {number} */ ms, speaks = true) => {
      for (let at = 0; at < ms; at += 10) {
        const frame = Math.floor(network.clock.now() / 20);
        if (speaks && network.clock.now() % 20 === 0) await zoe.speak(frame, 0.5);
        await network.pass(10);
        call.render(out);
        heard.push(...out);
      }
    };
    await listen(1500);
    expect(heard.at(-1)).toBeCloseTo(0.5, 1);
    network.refuses = true;
    network.sockets[0].session.close(19, 'gone');
    heard = heard.slice(-1);
    await listen(1000);
    const largestStep = heard.reduce(
      (most, sample, i) => Math.max(most, i > 0 ? Math.abs(sample - heard[i - 1]) : 0),
      0,
    );
    expect(largestStep).toBeLessThan(0.01);
    expect(Math.max(...heard.slice(480))).toBe(0);
    network.refuses = false;
    await listen(6000);
    expect(heard.at(-1)).toBeCloseTo(0.5, 1);
    call.leave();
  });

  it('hears nobody while it is lost, and later nobody who has stopped by then', async () => {
    const { network, call } = await inCall();
    const zoe = await network.conference.join('Zoe');
    const speak = async (/** @type {number} */ ms) => {
      for (let at = 0; at < ms; at += 20) {
        await zoe.speak(Math.floor(network.clock.now() / 20), 0.5);
        await network.pass(20);
      }
    };
    const heard = () => call.store.value.speakers.map(({ id }) => id);
    await speak(1500);
    expect(heard()).toEqual([zoe.id]);
    network.sockets[0].session.close(19, 'gone');
    expect(heard()).toEqual([]);
    await network.until(() => call.state === 'joined');
    await speak(500);
    expect(heard()).toEqual([zoe.id]);
    // Another session takes over from this one, which is never told that it has ended.
    network.cut = true;
    await network.until(() => call.state === 'away');
    await network.pass(5000);
    network.cut = false;
    await network.until(() => call.state === 'joined');
    await network.pass(1000);
    expect(heard()).toEqual([]);
    call.leave();
  });
});

describe('Declick', () => {
  it('leaves sound alone, and goes from one source to the other in 5 ms', () => {
    const declick = new Declick();
    const one = new Float32Array(100).fill(0.5);
    declick.smooth(one, 100);
    expect(one).toEqual(new Float32Array(100).fill(0.5));
    declick.jump();
    const other = new Float32Array(400).fill(-0.5);
    declick.smooth(other.subarray(0, 7), 7);
    declick.smooth(other.subarray(7), 393);
    expect(other[0]).toBeCloseTo(0.5);
    for (let i = 1; i < 400; i++) expect(Math.abs(other[i] - other[i - 1])).toBeLessThan(1 / 200);
    expect(other.subarray(240)).toEqual(new Float32Array(160).fill(-0.5));
  });
});

describe('a call at a node of a cluster', () => {
  const NODES = ['http://localhost', 'http://b', 'http://c'].map((url, i) => ({
    id: `n${i}`,
    url,
    h3Port: null,
    certificateHashes: [],
  }));
  const tokens = new ResumeTokens({ key: 'the cluster’s', awayMs: 30_000 });
  const cluster = {
    ended: () => {},
    epochOf: () => 1,
    nodes: () => NODES,
    ruled: () => {},
    rulesOf: () => null,
    placesOf: () => [],
  };
  /** The room as another node has it. */
  const later = { ...cluster, epochOf: () => 2 };
  const clustered = () => inCall({}, { cluster, tokens });

  it('asks the others, and its own last, a second after it hears nothing', async () => {
    const { network, call, names } = await clustered();
    await network.pass(1000);
    network.urls.length = 0;
    network.cut = true;
    expect(await network.until(() => call.state === 'away')).toBeLessThan(1600);
    await network.pass(1500);
    const asked = network.urls.slice(0, 3).map((url) => new URL(url).origin);
    expect(asked.slice(0, 2).toSorted()).toEqual(['http://b', 'http://c']);
    expect(asked[2]).toBe('http://localhost');
    network.cut = false;
    await network.until(() => call.state === 'joined');
    expect(names()).not.toContain('ended');
  });

  it('goes where its room has gone, with its place, and is heard meanwhile', async () => {
    const { network, call, joined, names } = await clustered();
    await network.pass(100);
    const before = network.conference;
    before.rooms.get('lab')?.moving.begin(NODES[1]);
    network.conference = new Conference(
      { silenceSuppression: true, cluster: later, tokens },
      network.clock,
    );
    await network.until(() => joined.length === 2);
    expect(joined[1]).toMatchObject({ you: joined[0].you, origin: 'http://b' });
    expect(names()).not.toContain('away');
    // Nobody pulls its sound: the change ends on its own.
    await network.pass(1000);
    expect([before.rooms.people, network.conference.rooms.people, call.state]).toEqual([
      0,
      1,
      'joined',
    ]);
  });

  it('keeps its people in the list as they go there, whatever the old node tells', async () => {
    const { network, joined, people } = await clustered();
    const before = network.conference;
    const others = [await before.join('Yan'), await before.join('Zoe')];
    await network.until(() => people.at(-1)?.people.length === 3);
    const told = before.rooms.get('lab')?.rules.state();
    people.length = 0;
    before.rooms.get('lab')?.moving.begin(NODES[1]);
    const knows = { ...later, rulesOf: () => told ?? null };
    network.conference = new Conference(
      { silenceSuppression: true, cluster: knows, tokens },
      network.clock,
    );
    for (let i = 0; joined.length < 2 && i < 200; i++) {
      others[i % 2].session.handler?.control({ type: 'mute', muted: i % 4 < 2 });
      await network.pass(10);
    }
    const [resume] = others.map(({ session }) => session.told('welcome')[0].resume);
    await network.conference.join('Yan', { resume });
    await network.pass(1500);
    expect(joined).toHaveLength(2);
    const names = (/** @type {any} */ list) =>
      list.people
        .map((/** @type {any} */ { name }) => name)
        .toSorted()
        .join();
    expect([...new Set(people.map(names))]).toEqual(['Ada,Yan,Zoe']);
  });

  describe.each(/** @type {const} */ (['pull', 'render']))('by %s', (way) => {
    it('is heard without a gap when moving to another node, however late sound is', async () => {
      for (const lateMs of [0, 300]) {
        const { network, call, joined, codec } = await clustered();
        const before = network.conference;
        const after = new Conference(
          { silenceSuppression: true, cluster: later, tokens },
          network.clock,
        );
        const people = [{ zoe: await before.join('Zoe'), fromMs: 0 }];
        const out = new Float32Array(way === 'pull' ? 1000 : 480);
        /** @type {number[]} */
        const heard = [];
        let [taken, pulled] = [0, 0];
        const listen = async (/** @type {number} */ ms) => {
          for (let at = 0; at < ms; at += 10) {
            const nowMs = network.clock.now();
            for (const { zoe, fromMs } of people)
              if (nowMs % 20 === 0 && nowMs >= fromMs) await zoe.speak(Math.floor(nowMs / 20), 0.5);
            await network.pass(10);
            // The sound card takes 10 ms.
            if (way === 'render') {
              call.render(out);
              heard.push(...out);
              continue;
            }
            taken += 480;
            while (pulled < taken) {
              const count = call.pull(out);
              heard.push(...out.subarray(0, count));
              pulled += count;
            }
          }
        };
        await listen(1500);
        heard.splice(0, heard.length - 480);
        before.rooms.get('lab')?.moving.begin(NODES[1]);
        network.conference = after;
        for (let i = 0; i < 50 && joined.length < 2; i++) await listen(10);
        expect(joined).toHaveLength(2);
        people.push({ zoe: await after.join('Zoe'), fromMs: network.clock.now() + lateMs });
        await listen(1000);
        expect(longestQuiet(heard)).toBeLessThan(480);
        expect(before.rooms.people).toBe(1);
        expect(
          heard.reduce(
            (most, sample, i) => Math.max(most, i > 0 ? Math.abs(sample - heard[i - 1]) : 0),
            0,
          ),
        ).toBeLessThan(0.01);
        call.leave();
        expect(codec.open).toBe(0);
      }
    });
  });

  it('goes on when it is sent to a node without an address', async () => {
    const { network, call, joined, names } = await clustered();
    await network.pass(100);
    network.sockets[0].session.sendControl({ type: 'moved', node: { ...NODES[1], url: 'b' } });
    await network.until(() => joined.length === 2);
    expect([joined[1].you, call.state]).toEqual([joined[0].you, 'joined']);
    expect(names()).not.toContain('away');
  });

  it('stays where it is, when it can’t go there, until it is sent away', async () => {
    const { network, call, joined } = await clustered();
    await network.pass(100);
    network.refuses = true;
    network.conference.rooms.get('lab')?.moving.begin(NODES[1]);
    await network.pass(500);
    expect([call.state, network.sockets[0].session.closed]).toEqual(['joined', null]);
    network.refuses = false;
    network.conference = new Conference(
      { silenceSuppression: true, cluster: later, tokens },
      network.clock,
    );
    await network.until(() => joined.length === 2, 8000);
    expect(joined[1].you).toBe(joined[0].you);
  });
});
