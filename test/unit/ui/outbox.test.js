import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../public/ui/chat/outbox.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** A server's room, and the way to it. */
function setUp() {
  const clock = new FakeClock();
  const way = { connected: true, sent: /** @type {string[]} */ ([]) };
  const outbox = new Outbox((text) => {
    if (way.connected) way.sent.push(text);
    return way.connected;
  }, clock);
  return Object.assign(way, { clock, outbox });
}

const messageOf = (/** @type {string} */ text, number = 1) => ({
  number,
  from: '1',
  name: 'Anna',
  text,
  at: '',
});

describe('messages that are sent', () => {
  it('go out one by one, in order', () => {
    const { outbox, sent } = setUp();
    for (const text of ['a', ' b ', '\u200b', 'c']) expect(outbox.say(text)).toBe(true);
    expect(sent).toEqual(['a']);
    outbox.came();
    outbox.came();
    outbox.came();
    expect([sent, outbox.why]).toEqual([['a', 'b', 'c'], null]);
  });

  it('wait while there is no connection, and go out when there is one', () => {
    const room = setUp();
    room.connected = false;
    room.outbox.offline();
    room.outbox.say('a');
    expect([room.sent, room.outbox.why]).toEqual([[], 'chat-offline']);
    room.connected = true;
    room.outbox.online();
    expect([room.sent, room.outbox.why]).toEqual([['a'], null]);
  });

  it('are sent again if the connection lost them, but not if the room had got them', () => {
    const { outbox, sent } = setUp();
    outbox.say('a');
    outbox.say('b');
    outbox.offline();
    outbox.got([]);
    outbox.online();
    expect(sent).toEqual(['a', 'a']);
    outbox.offline();
    outbox.got([messageOf('a')]);
    outbox.online();
    expect(sent).toEqual(['a', 'a', 'b']);
  });

  it('come back where the server will never take them, and the next goes out', () => {
    const { outbox, sent } = setUp();
    outbox.say('a');
    outbox.say('b');
    expect([outbox.reject(), sent]).toEqual(['a', ['a', 'b']]);
    expect([outbox.reject(), outbox.reject(), outbox.why]).toEqual(['b', '', null]);
    outbox.say('c');
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('wait as long as the server asks for, and say why until all are out', () => {
    const { outbox, sent, clock } = setUp();
    outbox.say('a');
    outbox.say('b');
    outbox.putOff(800);
    clock.advance(799);
    expect([sent, outbox.why]).toEqual([['a'], 'chat-flood']);
    clock.advance(1);
    expect([sent, outbox.why]).toEqual([['a', 'a'], 'chat-flood']);
    outbox.came();
    outbox.came();
    expect([sent, outbox.why]).toEqual([['a', 'a', 'b'], null]);
  });

  it('are not more than fifty, and can be forgotten', () => {
    const { outbox, clock } = setUp();
    for (let i = 0; i < 50; i++) expect(outbox.say(`${i}`)).toBe(true);
    expect(outbox.say('one more')).toBe(false);
    outbox.putOff(1000);
    expect(outbox.clear()).toHaveLength(50);
    expect([clock.waiting, outbox.why]).toEqual([0, null]);
  });

  it('come all, once and in order, whatever happens on the way', () => {
    const step = fc.constantFrom(
      'say',
      'answer',
      'refuse',
      'cut',
      'cut after it got there',
      'move',
      'pass',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const room = setUp();
        /** @type {string[]} */
        const got = [];
        let [said, seen] = [0, 0];
        /** The one that is on its way: the server answers each once. */
        let answered = 0;
        const isOut = () => room.connected && room.sent.length > answered;
        const take = () => got.push(/** @type {string} */ (room.sent[answered++]));
        const getHistory = () => {
          answered = room.sent.length;
          room.outbox.got(got.slice(seen).map((text) => messageOf(text)));
          seen = got.length;
        };
        const comeBack = () => {
          room.connected = true;
          getHistory();
          room.outbox.online();
        };
        for (const what of [...steps, 'pass', ...Array.from({ length: 80 }, () => 'answer')]) {
          if (what === 'say') room.outbox.say(`message ${said++}`);
          else if (what === 'move') {
            // The next node answers nothing that the previous one was sent.
            getHistory();
            room.outbox.again();
          } else if (what === 'pass') room.clock.advance(1000);
          else if (what === 'answer' && isOut()) {
            take();
            seen = got.length;
            room.outbox.came();
          } else if (what === 'refuse' && isOut()) {
            answered += 1;
            room.outbox.putOff(500);
            room.clock.advance(500);
          } else if (what.startsWith('cut')) {
            if (what !== 'cut' && isOut()) take();
            room.connected = false;
            room.outbox.offline();
            comeBack();
          }
        }
        expect(got).toEqual(Array.from({ length: said }, (_, i) => `message ${i}`));
      }),
      { seed: 11, numRuns: 500 },
    );
  });
});
