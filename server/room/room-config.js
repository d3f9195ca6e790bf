/**
 * What rooms are given, as types.
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Codec } from '../codec/codec.js'
 * @import { Recordings } from '../recording/recordings.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Participant } from './member.js'
 * @import { StatsLines } from './stats-log.js'
 *
 * @typedef {object} RoomSettings what all rooms of a server have in common
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery  for transports that can push; the others always reply
 * @property {number | 'auto'} serverDelayMs  D that rooms begin with
 * @property {number} [maxServerDelayMs]  what `auto` may go up to, a whole number; 400 by default
 * @property {number} [receivedTarget]    percent of each speaker's frames that `auto` has in time; 99.5 by default
 * @property {number} maxDelayMs          the largest D that a room can be set to
 * @property {number} [maxSpeakers]       who are mixed at once: 20 by default
 * @property {boolean} [levelBalance]     whether soft and loud speakers are brought closer to one level
 * @property {boolean} [silenceSuppression] whether packets are left out in silence, both ways
 * @property {number | 'auto'} [redundancy] how many earlier frames a packet repeats, both ways; auto by default
 * @property {boolean} echo               whether everybody hears themselves too
 * @property {number} bitrate             bits a second, of the server's encoders and the clients'
 * @property {number} complexity          of the server's encoders, 0 to 10
 * @property {{ readonly complexity: number }} [effort]  what it is now, where that changes
 * @property {'audio' | 'voip' | 'low-delay'} application of the server's encoders
 * @property {number} maxParticipants
 * @property {number} idleTimeoutMs       who isn't heard from for so long is lost
 * @property {number} [awayTimeoutMs]     the place of somebody who was lost is kept for so long; 30 000 by default
 * @property {Codec} codec
 * @property {Clock} clock
 * @property {SampleClock} sampleClock
 * @property {Clock} [metronome]          the clock, with timers for the mixes
 * @property {number} [phase]             0 to 1: rooms do at moments apart what is done once a second
 * @property {() => void} [poll]          hands over the packets that have come: called before each mix
 * @property {() => number} [wallNow]   milliseconds since 1970; Date.now by default
 * @property {StatsLines} [log]            told how each person was received
 * @property {Recordings} [recordings]   where recordings are kept; none can be made without
 * @property {Observer} [observer]        who watches, such as a measurement
 *
 * @typedef {object} JoinWishes  what one participant asks for itself alone
 * @property {'tick' | 'reply'} [delivery]  in place of the room's
 * @property {number} [serverDelayMs]       in place of the room's; of delivery `reply` only
 * @property {boolean} [mirror]             to be alone, and to hear oneself
 * @property {number} [frameMs]             of a room that begins with this one; others get what the room has
 * @property {number} [channels]            likewise: 1 or 2
 * @property {boolean} [nameCut]            whether the name was longer
 * @property {string} [resume]              the token of the place to be taken up again
 *
 * @typedef {object} Observer  is told of frames as they pass; on the frame's path, so it must be quick
 * @property {(participant: Participant, frame: number, arrivalMs: number) => void} received
 * @property {(frame: number, latenessMs: number) => void} ticked
 * @property {(listener: Participant, speaker: Participant, start: number, samples: number) => void} mixed
 *   of a reply: these samples of the speaker were read for the listener, as far as they were there
 */

export {};
