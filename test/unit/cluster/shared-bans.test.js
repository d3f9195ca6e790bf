import { expect, it } from 'vitest';
import { RelayingNodes } from '../../fakes/relaying-nodes.js';

it('a ban holds on all nodes after the end of its room, until it ends or is lifted', async () => {
  const nodes = new RelayingNodes();
  const { home, other } = await nodes.addTwo();
  const ann = await nodes.join(home, 'Ann');
  const eve = { identity: 'eve', tokenId: null, network: null };
  home.conference.rooms.bans.add('lab', 'Eve', eve, 600_000);
  ann.session.close(0, 'left');
  expect(home.conference.rooms.get('lab')).toBe(undefined);
  const late = nodes.add('c');
  await nodes.pass(500);
  const all = [home, other, late];
  const listed = () =>
    all
      .map(({ conference }) => conference.rooms.bans.list('lab'))
      .map((bans) => bans.map(({ id, name }) => [id, name]));
  const [[id]] = listed()[0];
  expect(listed()).toEqual(Array(3).fill([[id, 'Eve']]));
  expect(other.conference.rooms.bans.remove('lab', id)).toBe(true);
  await nodes.pass(500);
  expect(listed()).toEqual([[], [], []]);
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
});
