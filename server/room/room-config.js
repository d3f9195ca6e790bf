/**
 * A room's settings: plain data that could be sent to another thread or machine, and apart from it
 * the services.
 *
 * @import { PasswordTry } from '../access/password-tries.js'
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { RATE_RULES } from '../broadcast/rate-rule.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { TickScheduler } from '../clock/tick-scheduler.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Codec } from '../codec/codec.js'
 * @import { BanChange, Bans } from '../access/bans.js'
 * @import { ResumeTokens } from '../access/resume-token.js'
 * @import { NodeAddress } from '../cluster/messages.js'
 * @import { ChatState, PlaceNote, RoomState, ToldState } from '../state/portable-state.js'
 * @import { Tracks } from '../clock/backing-track.js'
 * @import { Log } from '../log.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { Census } from './people/census.js'
 * @import { RecordingChange, Recordings } from '../recording/recordings.js'
 * @import { RoomTotals } from './reports/figures.js'
 * @import { Source } from '../source/source.js'
 * @import { Member } from './people/member.js'
 * @import { Room } from './room.js'
 * @import { SessionLog } from './reports/session-log.js'
 * @import { Turns } from './entry/turns.js'
 *
 * @typedef {object} RoomConfig  plain data: it survives structuredClone
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery  for transports that can push; the others always reply
 * @property {'mix' | 'forward' | 'auto'} mode whether the room's sound is mixed, or forwarded;
 *   auto: see RoomMode
 * @property {'bundle' | 'now'} forwardWay  one bundle a frame, or each packet as it comes
 * @property {boolean} broadcast  whether the room begins as a broadcast: see Stage
 * @property {boolean} e2e whether what is said is encrypted end to end, so that it can only be
 *   forwarded
 * @property {number | 'auto'} serverDelayMs  the delay D that the room begins with
 * @property {number} maxServerDelayMs  what `auto` may go up to, a whole number
 * @property {number} receivedTarget the share of each speaker's frames that `auto` has in time, in
 *   percent
 * @property {number} stragglerMs who needs so much more delay than half of the people is heard
 *   later alone; 0: never
 * @property {number} maxDelayMs  the largest D that the room can be set to
 * @property {number} maxSpeakers  how many are mixed at once
 * @property {boolean} levelBalance  whether soft and loud speakers are brought closer to one level
 * @property {boolean} silenceSuppression  whether packets are left out in silence, both ways
 * @property {number | 'auto'} redundancy  how many earlier frames a packet repeats, both ways
 * @property {number | 'auto'} listenerStride how many frames go into one packet of those who only
 *   listen, 1 to 3; auto: 3, and fewer at a broadcast's higher rates
 * @property {keyof typeof RATE_RULES} listenerRule by which a broadcast's listeners get their bit
 *   rate
 * @property {number | 'auto'} listenerBitrate the most that they get, b/s; auto: 64 000 for each
 *   channel
 * @property {boolean} echo  whether everybody hears themselves too
 * @property {number} bitrate  of the server's encoders and the clients', b/s
 * @property {number} complexity  of the server's encoders, 0 to 10
 * @property {'audio' | 'voip' | 'low-delay'} application  of the server's encoders
 * @property {number} maxParticipants
 * @property {number} relayFrom from this many who only listen on, further ones do so at other nodes
 *   of a cluster
 * @property {number} idleTimeoutMs  a participant who isn't heard from for this long is lost
 * @property {number} awayTimeoutMs  how long the place of one who was lost is kept
 * @property {number} placeAfterMs for how long one must have been heard from for their place to be
 *   kept
 * @property {number} phase 0 to 1: the part of a frame, and of a second, by which this room is
 *   behind others
 *
 * @typedef {object} RoomServices
 * @property {Clock} clock
 * @property {SampleClock} sampleClock  the server's; a room's is behind it by its phase
 * @property {TickScheduler} ticks
 * @property {Codec} codec
 * @property {Pick<Log, 'info' | 'error'> & Partial<Pick<Log, 'debug'>>} log debug where those lines
 *   are wanted
 * @property {{ readonly complexity: number, readonly share?: number }} [effort] the encoders'
 *   complexity now, where it changes; the share of a processor that mixing takes
 * @property {() => number} [cpuMs] the processor time of the thread that mixes so far, in
 *   milliseconds
 * @property {() => number} [wallNow]  milliseconds since 1970; Date.now by default
 * @property {Recordings} [recordings]  without it nothing can be recorded
 * @property {Observer} [observer]  for measurements
 * @property {ResumeTokens} [tokens]  signs and reads resume tokens
 * @property {Cluster} [cluster]  of which this server is a node
 *
 * @typedef {object} Cluster  what rooms know of the nodes of a cluster
 * @property {(room: string, places?: readonly PlaceNote[]) => void} ended a room has ended here;
 *   places: what its tokens don't say
 * @property {(room: string) => number} epochOf  a room's, above that of the one before it
 * @property {(room: string, state: ToldState) => void} ruled  a room's state has changed
 * @property {(room: string) => ToldState | null} rulesOf the state that a room had on the node
 *   before
 * @property {(room: string) => readonly PlaceNote[]} placesOf what tokens of a room's places don't
 *   say
 * @property {(room: string) => ChatState | null} [chatOf] what was said in a room on the node
 *   before, which has drained; once
 * @property {() => NodeAddress[]} nodes  where clients reach the nodes, this one first
 * @property {(room: string) => NodeAddress | null} [relayFor] another node for one who only
 *   listens; null where there is none
 *
 * @typedef {object} RoomOwner  whoever has all rooms
 * @property {(room: Room) => void} ended  the last member has gone
 * @property {(room: Room, state: RoomState | null) => void} failed the room has failed; state: what
 *   goes on of it
 * @property {(room: Room) => void} changed  something has changed that everybody is told
 * @property {Turns} departures  the turns in which others are told of those who have gone
 * @property {() => boolean} mayKeepPlace  whether one more place may wait for its holder
 * @property {SessionLog} sessions  logs their ends
 * @property {() => boolean} isBusy  whether there is more to mix than can be mixed
 * @property {() => boolean} isNearlyFull  whether there is little room for more people on this node
 * @property {() => void} settle settles all rooms' loads; to be called once a second, and when a
 *   tick is late
 * @property {Bans} bans  of all rooms
 * @property {RoomTotals} totals  of rooms and members that have gone
 * @property {Census} census  of all rooms of this kind
 * @property {Tracks} tracks  the sound of all rooms' backing tracks
 *
 * @typedef {object} Elsewhere what the other room hosts of the server have: their rooms are on
 *   other threads
 * @property {() => { present: number, away: number, rooms: number }} others how many people and
 *   rooms they have
 * @property {(own: { present: number, away: number, rooms: number }) => void} publish tells them
 *   how many this one has
 * @property {(fact: Fact) => void} tell tells them of something that holds for all rooms of the
 *   server
 * @property {(room: Room) => void} opened  a room that others can find has been opened
 * @property {(room: Room) => void} changed
 * @property {(room: Room) => void} ended
 *
 * @typedef {{ type: 'join', network: string | null } | PasswordTry
 *   | BanChange
 *   | RecordingChange} Fact  plain data
 *
 * @typedef {object} Observer is told of frames as they pass; on the frame's path, so it must be
 *   quick
 * @property {(member: Member, frame: number, arrivalMs: number) => void} received
 * @property {(frame: number, latenessMs: number) => void} ticked
 * @property {(listener: Listener, source: Source, start: number, samples: number) => void} mixed
 *   in `reply`: these samples of the source were read for the listener, as far as they were there
 *
 * @typedef {object} JoinWishes  what one participant asks for
 * @property {'tick' | 'reply'} [delivery]  in place of the room's
 * @property {number} [serverDelayMs]  in place of the room's; with delivery `reply` only
 * @property {boolean} [mirror]  to be alone, and to hear oneself
 * @property {number} [frameMs] of a room that begins with this participant; others get what the
 *   room has
 * @property {number} [channels]  likewise: 1 or 2
 * @property {'mix' | 'forward' | 'auto'} [mode]  likewise
 * @property {boolean} [e2e]  likewise; of those who come later, whether they have a key
 * @property {boolean} [listen]  to listen and no more, as one of the audience
 * @property {import('../../public/shared/nearness.js').Nearness} [nearness] how near to whoever
 *   speaks, while listening
 * @property {string} [stage]  the key of the stage of a room that is a broadcast
 * @property {boolean} [nameCut]  whether the name was longer
 * @property {string} [resume]  the token of the place to be taken up again
 */

import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { streamBitrate } from '../../public/shared/stream/bitrate.js';

/** The values of a room's settings where none are given. */
export const ROOM_DEFAULTS = Object.freeze({
  delivery: /** @type {const} */ ('tick'),
  mode: /** @type {'mix' | 'forward' | 'auto'} */ ('mix'),
  forwardWay: /** @type {'bundle' | 'now'} */ ('bundle'),
  broadcast: false,
  e2e: false,
  serverDelayMs: /** @type {number | 'auto'} */ ('auto'),
  maxServerDelayMs: 400,
  receivedTarget: 99.5,
  stragglerMs: 5,
  maxSpeakers: 20,
  levelBalance: false,
  silenceSuppression: false,
  redundancy: /** @type {number | 'auto'} */ ('auto'),
  listenerStride: 'auto',
  listenerRule: /** @type {keyof typeof RATE_RULES} */ ('probe'),
  listenerBitrate: /** @type {number | 'auto'} */ ('auto'),
  echo: false,
  awayTimeoutMs: 30_000,
  placeAfterMs: 5000,
  relayFrom: Infinity,
  phase: 0,
});

/**
 * A room's settings as the participant who begins it asks for: stereo where the codec has it, with
 * as much more bit rate.
 * @param {RoomConfig} config
 * @param {JoinWishes} wishes
 * @param {Pick<Codec, 'maxFrameValues'>} codec
 * @returns {RoomConfig}
 */
export function configFor(
  config,
  {
    frameMs = config.format.frameMs,
    channels = config.format.channels,
    mode = config.mode,
    e2e = false,
  },
  codec,
) {
  const { sampleRate, opusFrames } = config.format;
  const shape = {
    sampleRate,
    frameMs,
    opusFrames: frameMs === config.format.frameMs ? opusFrames : 1,
  };
  const asked = createAudioFormat({ ...shape, channels });
  const fits = asked.opusFrameSamples * channels <= codec.maxFrameValues;
  const format = fits ? asked : createAudioFormat(shape);
  return {
    ...config,
    mode: e2e ? 'forward' : mode,
    e2e,
    format,
    bitrate: streamBitrate(config.bitrate, format),
  };
}
