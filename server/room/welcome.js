/**
 * @import { CommandRoom } from './commands.js'
 * @import { Member } from './member.js'
 * @import { Waited } from './waited-for.js'
 */

import { CONTROL_VERSION } from '../../public/shared/control.js';

/**
 * The message that one who has come in is told first: docs/protocol.md, section 4.3.
 * @param {CommandRoom} room
 * @param {Member} member
 * @param {object} more
 * @param {string} more.name  the room's
 * @param {string} more.token  of the member's place
 * @param {ReadonlyArray<Waited>} more.waited
 * @param {boolean} [more.nameCut]
 */
export function welcomeOf({ config, roster, chat, recording, moderation }, member, { name, token, waited, nameCut }) {
  const { bitrate, echo, idleTimeoutMs, redundancy, silenceSuppression, format } = config;
  const { sampleRate, channels, frameMs, opusFrames } = format;
  return {
    type: 'welcome',
    version: CONTROL_VERSION,
    you: member.id,
    format: { sampleRate, channels, frameMs, opusFrames },
    delivery: member.delivery,
    serverDelayMs: member.takeDelay(),
    bitrate,
    redundancy,
    silenceSuppression: silenceSuppression && member.delivery === 'tick',
    echo,
    idleTimeoutMs,
    people: roster.knownTo(member).map((person) => person.describe()),
    room: name,
    waited,
    chat: chat.history,
    role: member.role,
    may: [...member.permissions],
    rules: moderation.rules,
    canRecord: recording.offered,
    recording: recording.state,
    resume: token,
    ...(nameCut && { nameCut }),
  };
}
