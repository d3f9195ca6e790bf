/**
 * @import { Place } from '../../access/resume-token.js'
 * @import { Session } from '../../transport/session.js'
 * @import { MemberRoom } from '../people/member.js'
 * @import { MemberSound } from '../people/member-sound.js'
 * @import { Entry } from '../moderation/moderation.js'
 * @import { JoinWishes } from '../room-config.js'
 * @import { Roster } from '../people/roster.js'
 */

import { permissionsOf } from '../../access/grant.js';
import { Member } from '../people/member.js';

/**
 * Makes the member who joins a room: a newcomer, one who comes back to their place, or one who had
 * it on another node.
 * @param {{ roster: Roster, sound: MemberSound, room: MemberRoom }} parts  the room's
 * @param {Session} session
 * @param {string} name
 * @param {JoinWishes} wishes
 * @param {{ entry: Entry, before: Member | null, taken: Place | null }} how before: whose place it
 *   is; taken: the place on the other node
 * @returns {Member | 'server-full'}
 */
export function makeMember(
  { roster, sound, room },
  session,
  name,
  wishes,
  { entry, before, taken },
) {
  const id = before?.id ?? (taken ? roster.takenId(taken.id) : roster.nextId());
  const known = before ?? taken;
  // Somebody may have come meanwhile whose name looks like theirs.
  const label = before?.label ?? roster.labelFor(taken?.label ?? name);
  const grant = taken?.grant ?? entry.grant;
  try {
    const permissions = permissionsOf(known?.role ?? grant.role, (before?.grant ?? grant).withheld);
    const { listener, source } = sound.open(id, session, wishes, before, permissions);
    const member = new Member({
      id,
      name: known?.name ?? name,
      label,
      session,
      grant,
      source,
      listener,
      room,
      before,
    });
    if (taken) {
      member.restore(taken);
      roster.takenHand(taken.hand);
    }
    return member;
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
    throw error;
  }
}
