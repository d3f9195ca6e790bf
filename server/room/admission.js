/**
 * What becomes of a session when it is let in: a participant, and what that one is told first.
 * @import { Session } from '../transport/session.js'
 * @import { Mix } from '../mix/tick-mix.js'
 * @import { People } from './roster.js'
 * @import { RoomDelay } from '../clock/room-delay.js'
 * @import { JoinWishes, RoomSettings } from './room-config.js'
 */

import { LevelBalance } from '../mix/level-balance.js';
import { Participant } from './member.js';
import { newDecoder, newDownlink, newEncoder } from '../codec/room-codecs.js';

/**
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.name
 * @param {Session} options.session
 * @param {JoinWishes} options.wishes
 * @param {Participant | null} options.before  whose place it is
 * @param {RoomSettings} options.settings
 * @param {RoomDelay} options.delay  the room's
 * @param {Mix} options.mix          the room's
 * @param {(participant: Participant) => void} options.onClosed
 * @throws {Error} of code 'codec-instances'
 */
export function newParticipant({ id, name, session, wishes, before, settings, delay, mix, onClosed }) {
  const encoder = newEncoder(settings);
  try {
    const decoder = newDecoder(settings);
    const delivery = session.transport.replyOnly ? 'reply' : (wishes.delivery ?? settings.delivery);
    const leavesOutSilence = delivery === 'tick' && settings.silenceSuppression === true;
    const participant = new Participant({
      id,
      name,
      session,
      delivery,
      leavesOutSilence,
      format: settings.format,
      sampleClock: settings.sampleClock,
      maxDelayMs: settings.maxDelayMs,
      lateness: delay.newLateness(),
      onClosed,
      downlink: newDownlink(session, encoder, settings, leavesOutSilence),
      decoder,
      ticked: mix.ticked,
      balance: settings.levelBalance ? new LevelBalance(settings.format) : null,
    });
    if (before) participant.continue(before);
    participant.lastHeardMs = settings.clock.now();
    if (wishes.serverDelayMs !== undefined) participant.readAt(wishes.serverDelayMs);
    return participant;
  } catch (error) {
    encoder.close();
    throw error;
  }
}

/**
 * @param {Participant} participant who has joined
 * @param {RoomSettings} settings
 * @param {People} people
 */
export function welcome(participant, settings, people) {
  const { bitrate, echo, idleTimeoutMs, redundancy = 'auto', silenceSuppression = false } = settings;
  const { sampleRate, channels, frameMs, opusFrames } = settings.format;
  return {
    type: 'welcome',
    version: 1,
    you: participant.id,
    format: { sampleRate, channels, frameMs, opusFrames },
    delivery: participant.delivery,
    serverDelayMs: participant.toldDelayMs,
    bitrate,
    redundancy,
    silenceSuppression: silenceSuppression && participant.delivery === 'tick',
    echo,
    idleTimeoutMs,
    people: people.everybody.map((person) => person.describe()),
  };
}
