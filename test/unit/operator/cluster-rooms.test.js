import { describe, expect, it } from 'vitest';
import { RoomsByThread } from '../../../server/host/rooms-by-thread.js';
import { ClusterRooms } from '../../../server/operator/cluster-rooms.js';
import { ROUTES } from '../../../server/operator/routes.js';
import { OPERATOR } from '../../../server/state/grant.js';
import { settle } from '../../fakes/conference.js';
import { RelayingNodes } from '../../fakes/relaying-nodes.js';

const by = { ...OPERATOR, peer: '192.0.2.9' };

/** Three nodes; Ann and Bob are in a room of one of them, and the operator asks another. */
async function create() {
  const nodes = new RelayingNodes();
  const all = ['a', 'b', 'c'].map((id) => {
    const node = nodes.add(id);
    const {
      conference: { rooms },
      cluster,
    } = node;
    const everywhere = new ClusterRooms({
      local: new RoomsByThread({ rooms }),
      wire: cluster.wire,
      nodes: () => cluster.everyNode(),
      isHere: (room) => cluster.isHere(room),
    });
    everywhere.start();
    return { ...node, everywhere };
  });
  await nodes.pass(500);
  const asked = all[0].cluster.find('lab', { hold: true });
  await nodes.pass(50);
  await asked;
  const owner = /** @type {typeof all[0]} */ (all.find(({ cluster }) => cluster.isHere('lab')));
  const [asker, third] = all.filter((node) => node !== owner);
  const ann = await nodes.join(owner, 'Ann');
  const bob = await nodes.join(owner, 'Bob');
  /** @template T @param {Promise<T>} promise */
  const answer = async (promise) => {
    const state = { isThere: false };
    void promise.then(() => (state.isThere = true));
    for (let i = 0; i < 6000 && !state.isThere; i++) {
      await nodes.pass(5);
      if (i % 20 === 0) await settle();
    }
    return promise;
  };
  return {
    nodes,
    owner,
    asker,
    third,
    ann,
    bob,
    answer,
    room: () => /** @type {any} */ (owner.conference.rooms.get('lab')),
  };
}

describe('the operator of any node', () => {
  it('lists the rooms of all, and learns which nodes are silent', async () => {
    const { nodes, owner, asker, third, answer } = await create();
    expect(await answer(asker.everywhere.everything())).toMatchObject({
      rooms: [
        { room: 'lab', present: 2, node: { id: owner.id, url: `http://${owner.id}.example` } },
      ],
      silent: [],
    });
    third.bus.stand(true);
    await nodes.pass(100);
    expect(await answer(asker.everywhere.everything())).toMatchObject({
      rooms: [{ room: 'lab' }],
      silent: [`http://${third.id}.example`],
    });
  });

  it('does in a room what its own could', async () => {
    const { owner, asker, bob, answer, room, ann } = await create();
    const act = (/** @type {any} */ name, /** @type {any[]} */ ...args) =>
      answer(asker.everywhere.inRoom('lab', name, ...args));
    expect(await act('describe')).toMatchObject({
      room: 'lab',
      people: [{ name: 'Ann' }, { name: 'Bob' }],
      node: { id: owner.id },
    });
    expect(await act('count')).toMatchObject({
      room: 'lab',
      present: 2,
      listeners: 0,
      node: { id: owner.id, url: `http://${owner.id}.example` },
    });
    expect(await act('changePerson', bob.id, { muted: true }, by)).toBe(undefined);
    expect(bob.session.told('moderated').at(-1)).toMatchObject({ action: 'muted', operator: true });
    expect(await act('change', { locked: true }, by)).toMatchObject({ rules: { locked: true } });
    expect(room().rules.told.locked).toBe(true);
    expect(await act('changePerson', '99', { muted: true }, by)).toBe('person-unknown');
    expect(await act('bans')).toEqual([]);
    expect(await act('remove', bob.id, {}, by)).toBe(undefined);
    expect(bob.session.closed).not.toBe(null);
    expect(await act('end', by)).toBe(undefined);
    expect(ann.session.closed).not.toBe(null);
    expect(await act('describe')).toBe('not-found');
  });

  it('lifts the ban that its own list shows, and no other, on all nodes', async () => {
    const { nodes, owner, asker, third, answer, room } = await create();
    const whom = { tokenId: null, network: null };
    asker.conference.rooms.bans.add('lab', 'Eve', { identity: 'eve', ...whom }, 60_000);
    owner.conference.rooms.bans.add('lab', 'Bob', { identity: 'bob', ...whom }, 60_000);
    await nodes.pass(50);
    const lists = () => [
      room().rules.moderation.bans(),
      ...[asker, third].map(({ everywhere }) => everywhere.bans.list('lab')),
    ];
    const names = () =>
      lists().map((bans) => bans.map((/** @type {any} */ { name }) => name).toSorted());
    expect(names()).toEqual(Array(3).fill(['Bob', 'Eve']));
    const id = asker.everywhere.bans.list('lab').find(({ name }) => name === 'Eve')?.id;
    const route = ROUTES.find(({ path }) => path === '/rooms/:room/bans/:id');
    const lift = async () =>
      route?.run(
        /** @type {any} */ ({ rooms: asker.everywhere }),
        /** @type {any} */ ({ params: { room: 'lab', id }, by }),
      );
    expect(await answer(lift())).toBe(undefined);
    await nodes.pass(50);
    expect(names()).toEqual(Array(3).fill(['Bob']));
    expect(await answer(lift())).toBe('not-found');
  });

  it('learns that nobody has a room, its node is silent, or the bus is lost', async () => {
    const { nodes, owner, asker, answer } = await create();
    const count = (/** @type {string} */ room) => answer(asker.everywhere.inRoom(room, 'count'));
    expect([await count('none'), await count('*'), await count('a.b')]).toEqual([
      'not-found',
      'not-found',
      'not-found',
    ]);
    owner.bus.stand(true);
    expect(await count('lab')).toBe('node-silent');
    owner.bus.stand(false);
    await nodes.pass(500);
    asker.bus.state = 'lost';
    expect(await count('lab')).toBe('cluster-unreachable');
  });

  it('accepts from the bus only requests that the API would accept', async () => {
    const { owner, asker, answer, room } = await create();
    const ask = (/** @type {object} */ message) =>
      answer(
        asker.bus.request(
          `aloud.test.node.${owner.id}.act`,
          { version: 2, room: 'lab', ...message },
          500,
        ),
      );
    expect(await ask({ act: 'constructor', args: [] })).toEqual({
      version: 2,
      code: 'bad-request',
    });
    expect(await ask({ act: 'clock', args: [] })).toEqual({ version: 2, code: 'bad-request' });
    expect(await ask({ act: 'change', args: [{ locked: 'yes' }, by] })).toEqual({
      version: 2,
      code: 'bad-request',
    });
    expect(
      await ask({ act: 'change', args: [{ locked: true }, { id: '1', label: 'Ann' }] }),
    ).toEqual({ version: 2, code: 'bad-request' });
    expect(typeof (await ask({ act: 7 }))).toBe('symbol');
    expect(room().rules.told.locked).toBe(false);
  });
});
