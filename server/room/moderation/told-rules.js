/**
 * @import { RoomPassword } from '../../access/room-password.js'
 * @import { Log } from '../../log.js'
 * @import { Rules } from '../../cluster/messages.js'
 * @import { Cluster } from '../room-config.js'
 */

/**
 * Tells the other nodes of a cluster which rules a room has, for the one that has the room when this one is gone.
 * @param {{ cluster: Cluster, room: string, log: Pick<Log, 'info'> }} to
 * @param {RoomPassword | null} password  whose hash is waited for
 * @param {() => Omit<Rules, 'password'>} read  the other rules, as they are then
 */
export async function tellNodes({ cluster, room, log }, password, read) {
  try {
    await password?.hashed;
    const rules = { ...read(), password: password?.state() ?? null };
    cluster.ruled(room, isOpen(rules) ? null : rules);
  } catch (error) {
    log.info(`room ${room}: other nodes could not be told of its rules: ${error}`);
  }
}

/** Whether a room has no rules. @param {Rules} rules */
const isOpen = ({ locked, lobby, chat, record, password, broadcast, bans }) =>
  !locked && !lobby && password === null && broadcast === null && bans.length === 0 && chat === 'everybody' && record === 'everybody';
