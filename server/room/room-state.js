/**
 * What is kept of a room in another place, so that it can be opened again where its worker has ended: plain data. Sound,
 * recordings, metronome, backing track and those who wait in the lobby are not part of it.
 *
 * @import { Moderation, Who } from './moderation/moderation.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { MemberRoom } from './people/member.js'
 * @import { ModeSetting } from './room-mode.js'
 * @import { Roster } from './people/roster.js'
 * @import { Chat, ChatMessage } from './chat.js'
 * @import { StageState } from './moderation/stage.js'
 * @import { Permission, Role } from '../access/grant.js'
 * @import { Session, Transport } from '../transport/session.js'
 *
 * @typedef {object} PersonState
 * @property {string} id
 * @property {string} name
 * @property {string} label
 * @property {string} key      names the place in resume tokens
 * @property {boolean} muted   by their own wish
 * @property {boolean} silenced
 * @property {Role} role
 * @property {number} hand
 * @property {{ role: Role, withheld: Permission[], identity: string | null, tokenId: string | null }} grant
 * @property {string} peer
 * @property {Transport['name']} transport
 * @property {number} seconds  since they came
 *
 * @typedef {object} RoomState
 * @property {string} name
 * @property {number} frameMs
 * @property {number} channels
 * @property {number | 'auto'} serverDelayMs  the setting
 * @property {ModeSetting} mode
 * @property {boolean} e2e  whether it is encrypted end to end
 * @property {{ locked: boolean, lobby: boolean, password: boolean, chat: Who, record: Who }} rules
 * @property {StageState | null} stage  null where it is no broadcast
 * @property {{ salt: string, hash: string } | null} password  hashed, in base64
 * @property {{ messages: ReadonlyArray<ChatMessage>, next: number }} chat
 * @property {PersonState[]} people
 * @property {number} nextId
 * @property {number} nextHand
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
    handler: null,
    send: () => false,
    sendControl: () => {},
    close: () => {},
    stats,
    pathStats: stats,
  };
}

/**
 * Sets a new room's parts to what was kept of it.
 * @param {MemberRoom} room
 * @param {{ roster: Roster, chat: Chat, moderation: Moderation, delay: DelayControl }} parts
 * @param {RoomState} state
 */
export function restoreRoom(room, { roster, chat, moderation, delay }, state) {
  delay.set(state.serverDelayMs);
  moderation.restore(state);
  chat.restore(state.chat);
  roster.restore(state, (person) => {
    const grant = { ...person.grant, withheld: new Set(person.grant.withheld) };
    return new Member({ ...person, session: lostSession(person), grant, source: null, listener: null, room, state: person });
  });
}
