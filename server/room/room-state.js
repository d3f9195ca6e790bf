/**
 * @import { Moderation } from './moderation/moderation.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { MemberRoom } from './people/member.js'
 * @import { Roster } from './people/roster.js'
 * @import { Chat } from './chat.js'
 * @import { RoomConfig } from './room-config.js'
 * @import { PersonState, RoomState, ToldState } from '../state/portable-state.js'
 * @import { Session } from '../transport/session.js'
 */

import { Member } from './people/member.js';

/**
 * The session of somebody whose worker has ended: nothing comes from it, and nothing goes there.
 * @param {PersonState} person
 * @returns {Session}
 */
export function lostSession({ peer, transport: name }) {
  const stats = () => ({ rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 });
  return {
    transport: { name, replyOnly: false, sendMany: () => {}, close: async () => {} },
    peer,
    log: { error: () => {} },
    handler: null,
    send: () => false,
    sendControl: () => {},
    close: () => {},
    stats,
    pathStats: stats,
  };
}

/**
 * Sets a new room's parts to what all nodes knew of it. What its configuration has is set already.
 * @param {{ config: Readonly<RoomConfig>, roster: Roster, moderation: Moderation, delay:
 *   DelayControl }} parts
 * @param {ToldState} told
 */
export function restoreTold({ config, roster, moderation, delay }, told) {
  const { serverDelayMs = delay.setting } = told;
  delay.set(serverDelayMs === 'auto' ? serverDelayMs : Math.min(serverDelayMs, config.maxDelayMs));
  moderation.restore(told);
  roster.goOnFrom(told);
}

/**
 * Sets a new room's parts to what was kept of it.
 * @param {MemberRoom} room
 * @param {{ config: Readonly<RoomConfig>, roster: Roster, chat: Chat, moderation: Moderation,
 *   delay: DelayControl }} parts
 * @param {RoomState} state
 */
export function restoreRoom(room, parts, state) {
  const { roster, chat, moderation } = parts;
  restoreTold(parts, state.told);
  chat.restore(state.chat);
  roster.restore(state.people, (person) => {
    const grant = { ...person.grant, withheld: new Set(person.grant.withheld) };
    return new Member({
      ...person,
      session: lostSession(person),
      grant,
      source: null,
      listener: null,
      room,
      state: person,
    });
  });
  for (const member of roster.holders())
    if (member.isLight && member.hand > 0) moderation.handMoved(member);
}
