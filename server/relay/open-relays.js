/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Cluster, ClusterRooms } from '../cluster/cluster.js'
 * @import { Config } from '../config/config.js'
 * @import { Log } from '../log.js'
 * @import { Arrivals } from '../host/arrivals.js'
 * @import { Rooms } from '../host/rooms.js'
 */

import { RelayHome } from './home.js';
import { Relays } from './relays.js';

/**
 * Connects both directions of relaying: rooms of other nodes here, and this node's rooms elsewhere.
 * @param {Pick<Config, 'sampleRate' | 'maxSessions'>} config
 * @param {{ cluster: Pick<Cluster, 'id' | 'wire' | 'epochOf'>, clock: Clock, log: Log, host: () =>
 *   { rooms: Rooms, arrivals: Pick<Arrivals, 'accept'> } }} options
 */
export function openRelays({ sampleRate, maxSessions }, { cluster, clock, log, host }) {
  const { id, wire } = cluster;
  const isFull = () => host().rooms.people + out.listeners >= maxSessions;
  const mayTake = () => !host().rooms.draining && !isFull();
  /** Rooms of other nodes for listeners here. */
  const out = new Relays(
    { wire, id, sampleRate, clock, log, totals: () => host().rooms.totals },
    mayTake,
  );
  const home = new RelayHome({
    wire,
    id,
    epochOf: (room) => cluster.epochOf(room),
    clockOf: (room) => host().rooms.get(room)?.sound.sampleClock.now() ?? null,
    accept: (session) => host().arrivals.accept(session),
    setRelayed: (room, relays, rates) =>
      host().rooms.get(room)?.sound.delivery.setRelayed(relays, rates),
    clock,
    log,
  });
  /** Rooms of this node for the cluster. @type {ClusterRooms} */
  const rooms = {
    get: (room) => host().rooms.get(room),
    audience(name) {
      const room = host().rooms.get(name);
      return {
        relays: room?.rules.casting.relays ?? false,
        broadcast: room?.rules.stage.isOn ?? false,
      };
    },
    chat(name) {
      const chat = host().rooms.get(name)?.record.chat;
      return chat && chat.history.length > 0 ? chat.state() : undefined;
    },
    met: (room, state) => host().rooms.get(room)?.rules.meet(state),
    move: (room, node) => host().rooms.move(room, node),
    get bans() {
      return host().rooms.bans;
    },
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
