import { expect, it } from 'vitest';
import { RelayingNodes } from '../../fakes/relaying-nodes.js';

const EVE = { identity: 'eve', tokenId: null, network: null };

/** Names of the banned people of the room at each node. @param {...any} nodes */
const listed = (...nodes) =>
  nodes.map(({ conference }) =>
    conference.rooms.bans.list('lab').map((/** @type {any} */ { name }) => name),
  );

it('a ban holds on all nodes after the end of its room, until it ends or is lifted', async () => {
  const nodes = new RelayingNodes();
  const { home, other } = await nodes.addTwo();
  const ann = await nodes.join(home, 'Ann');
  home.conference.rooms.bans.add('lab', 'Eve', EVE, 600_000);
  ann.session.close(0, 'left');
  expect(home.conference.rooms.get('lab')).toBe(undefined);
  const late = nodes.add('c');
  await nodes.pass(500);
  const all = [home, other, late];
  const ids = all.map(({ conference }) => conference.rooms.bans.list('lab').map(({ id }) => id));
  expect(ids).toEqual(Array(3).fill([ids[0][0]]));
  expect(listed(...all)).toEqual(Array(3).fill(['Eve']));
  expect(other.conference.rooms.bans.remove('lab', ids[0][0])).toBe(true);
  await nodes.pass(500);
  expect(listed(...all)).toEqual([[], [], []]);
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
});

it('a lifted ban stays lifted when nodes meet that were apart', async () => {
  const nodes = new RelayingNodes();
  const { home, other } = await nodes.addTwo();
  await nodes.join(home, 'Ann');
  const { bans } = home.conference.rooms;
  bans.add('lab', 'Eve', EVE, 600_000);
  await nodes.pass(500);
  expect(listed(home, other)).toEqual([['Eve'], ['Eve']]);
  other.bus.part = 1;
  await nodes.pass(1500);
  // Both halves have the room, with its bans.
  await nodes.join(other, 'Bob');
  expect(bans.remove('lab', bans.list('lab')[0].id)).toBe(true);
  await nodes.pass(500);
  expect(listed(home, other)).toEqual([[], ['Eve']]);
  other.bus.part = 0;
  await nodes.pass(6000);
  expect(listed(home, other)).toEqual([[], []]);
});

it('bans made while a node had lost its bus are known to all once it is back', async () => {
  const nodes = new RelayingNodes();
  const { home, other } = await nodes.addTwo();
  const third = nodes.add('c');
  await nodes.pass(500);
  const cid = { ...EVE, identity: 'cid' };
  other.bus.state = 'lost';
  other.bus.part = 1;
  other.conference.rooms.bans.add('lab', 'Eve', EVE, 600_000);
  home.conference.rooms.bans.add('lab', 'Cid', cid, 600_000);
  // Shorter than the silence after which a node counts as gone.
  await nodes.pass(300);
  other.bus.part = 0;
  other.bus.state = 'connected';
  other.bus.change();
  await nodes.pass(500);
  for (const names of listed(home, other, third)) expect(names.sort()).toEqual(['Cid', 'Eve']);
});
