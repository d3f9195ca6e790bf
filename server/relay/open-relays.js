/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Cluster, ClusterRooms } from '../cluster/cluster.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { Arrivals } from '../room/entry/arrivals.js'
 * @import { Rooms } from '../room/rooms.js'
 */

import { RelayHome } from './home.js';
import { Relays } from './relays.js';

/**
 * What a node of a cluster relays, and what others relay of its rooms.
 * @param {Pick<Config, 'sampleRate' | 'maxSessions'>} config
 * @param {{ cluster: Pick<Cluster, 'id' | 'wire' | 'epochOf'>, clock: Clock, log: Log, host: () =>
 *   { rooms: Rooms, arrivals: Pick<Arrivals, 'accept'> } }} options
 */
export function openRelays({ sampleRate, maxSessions }, { cluster, clock, log, host }) {
  const { id, wire } = cluster;
  const isFull = () => host().rooms.people + out.listeners >= maxSessions;
  const mayTake = () => !host().rooms.draining && !isFull();
  /** Rooms of other nodes, for those who listen here. */
  const out = new Relays({
    wire,
    id,
    sampleRate,
    mayTake,
    clock,
    totals: () => host().rooms.totals,
  });
  const home = new RelayHome({
    wire,
    id,
    epochOf: (room) => cluster.epochOf(room),
    clockOf: (room) => host().rooms.get(room)?.sampleClock.now() ?? null,
    accept: (session) => host().arrivals.accept(session),
    setRelayed: (room, relays, rates) => host().rooms.get(room)?.casting.setRelayed(relays, rates),
    clock,
    log,
  });
  /** The rooms of this node, as the cluster sees them. @type {ClusterRooms} */
  const rooms = {
    get: (room) => host().rooms.get(room),
    audience(name) {
      const room = host().rooms.get(name);
      return {
        relays: room?.casting.relays ?? false,
        broadcast: room?.moderation.rules.broadcast ?? false,
      };
    },
    chat: (room) => host().rooms.get(room)?.view.chat,
    met: (room, state) => host().rooms.get(room)?.moderation.meet(state),
    move: (room, node) => host().rooms.move(room, node),
    get people() {
      return host().rooms.people + out.listeners;
    },
    get busy() {
      return host().rooms.busy;
    },
    get relayed() {
      return {
        rooms: out.size,
        listeners: out.listeners,
        elsewhere: home.size,
        dropped: out.dropped,
      };
    },
  };
  const both = [out, home];
  return {
    out,
    home,
    rooms,
    start: () => both.forEach((one) => one.start()),
    close: () => both.forEach((one) => one.close()),
  };
}
