/**
 * @import { RoomRecording } from '../recording/room-recording.js'
 * @import { Chat } from './chat.js'
 * @import { Member } from './member.js'
 * @import { BackingTrack } from '../clock/backing-track.js'
 * @import { Metronome } from '../clock/metronome.js'
 * @import { Moderation } from './moderation.js'
 * @import { RoomConfig } from './room-config.js'
 * @import { RoomDelay } from './room-delay.js'
 * @import { Roster } from './roster.js'
 */

import { CONTROL_VERSION } from '../../public/shared/control.js';

/**
 * The first message to a member: the sound's format, who is there, and what has been going on.
 * @param {string} room  its name
 * @param {{ config: Readonly<RoomConfig>, roster: Roster, chat: Chat, recording: RoomRecording, moderation: Moderation,
 *   roomDelay: RoomDelay, metronome: Metronome, track: BackingTrack }} parts  the room's
 * @param {Member} member
 * @param {{ token: string, nameCut?: boolean }} place  token: with which the place is taken up again
 */
export function welcomeOf(room, { config, roster, chat, recording, moderation, roomDelay, metronome, track }, member, { token, nameCut }) {
  const { bitrate, e2e, echo, idleTimeoutMs, redundancy, silenceSuppression, format } = config;
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
    e2e,
    idleTimeoutMs,
    people: roster.knownTo(member).map((person) => person.describe()),
    room,
    waited: roomDelay.people,
    chat: chat.history,
    canRecord: recording.offered && !e2e,
    role: member.role,
    may: [...member.permissions],
    rules: moderation.rules,
    recording: recording.state,
    metronome: metronome.beat,
    track: track.state,
    resume: token,
    ...(nameCut && { nameCut }),
  };
}
