import { expect, it } from 'vitest';
import { NO_CALL } from '../../../public/client/call/call-view.js';
import { Store } from '../../../public/client/call/store.js';
import { CurrentCall } from '../../../public/ui/call/current-call.js';
import { OwnVolumes } from '../../../public/ui/people/own-volumes.js';

it('one’s volumes of others are sent after each join, also in a move that nobody notices', () => {
  const current = new CurrentCall();
  const volumes = new OwnVolumes(current);
  /** @type {any[]} */
  const sent = [];
  const begin = () => {
    const store = new Store(/** @type {any} */ (NO_CALL));
    const sendControl = (/** @type {any} */ message) => {
      sent.push(message);
      return true;
    };
    current.begin(/** @type {any} */ ({ store, sendControl }));
    return store;
  };
  const store = begin();
  store.set({ session: 1, you: '2', people: [] });
  store.set({ joined: {} });
  store.set({ state: 'joined' });
  expect(sent).toEqual([]);
  volumes.set('1', { gain: 0.5, pan: 0 });
  expect(sent.splice(0)).toHaveLength(1);
  // The next node's welcome comes while the call is still at this one.
  store.set({ session: 2, people: [] });
  expect(sent).toEqual([]);
  store.set({ joined: {} });
  expect(sent.splice(0)).toEqual([{ type: 'volume', person: '1', gain: 0.5, pan: 0 }]);
  store.set({ state: 'away' });
  store.set({ session: 3 });
  store.set({ joined: {} });
  expect(sent).toEqual([]);
  store.set({ state: 'joined' });
  expect(sent.splice(0)).toHaveLength(1);
  current.end();
  // Another tab continues the call; sessions are counted for each call.
  volumes.begin('2', [['1', { gain: 0.25, pan: 0 }]]);
  const next = begin();
  next.set({ session: 3, you: '2', joined: {} });
  next.set({ state: 'joined' });
  expect(sent).toEqual([{ type: 'volume', person: '1', gain: 0.25, pan: 0 }]);
});
