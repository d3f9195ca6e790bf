/**
 * @import { Member } from './member.js'
 * @import { RoomConfig } from './room-config.js'
 */

import { CONTROL_VERSION } from '../../public/shared/control.js';

/**
 * The part of `welcome` that says how sound goes: the room's settings, as they are for one member.
 * @param {Member} member
 * @param {RoomConfig} config
 */
export function welcomeOf(member, { bitrate, echo, idleTimeoutMs, redundancy, silenceSuppression, format }) {
  const { sampleRate, channels, frameMs, opusFrames } = format;
  const pushes = member.delivery === 'tick' && !member.session.transport.replyOnly;
  return {
    type: 'welcome',
    version: CONTROL_VERSION,
    you: member.id,
    format: { sampleRate, channels, frameMs, opusFrames },
    delivery: member.delivery,
    serverDelayMs: member.takeDelay(),
    bitrate,
    redundancy,
    silenceSuppression: silenceSuppression && pushes,
    echo,
    idleTimeoutMs,
  };
}
