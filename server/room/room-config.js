/**
 * @import { EventEmitter as Emitter } from 'node:events'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { BanChange, Bans } from '../access/bans.js'
 * @import { PasswordTry } from '../access/room-password.js'
 * @import { ResumeTokens } from '../access/resume-token.js'
 * @import { Tracks } from '../clock/backing-track.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { TickScheduler } from '../clock/tick-scheduler.js'
 * @import { NodeAddress } from '../bus/messages.js'
 * @import { Codec } from '../codec/codec.js'
 * @import { Config } from '../config/options.js'
 * @import { JoinMessage } from '../host/arrivals.js'
 * @import { RoomTotals } from '../host/figures.js'
 * @import { Log } from '../log.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { RecordingChange, Recordings } from '../recording/recordings.js'
 * @import { Source } from '../source/source.js'
 * @import { ChatState, PlaceNote, RoomState, KnownState } from '../state/portable-state.js'
 * @import { Turns } from '../timers.js'
 * @import { Happening } from '../webhooks/webhooks.js'
 * @import { Member } from './people/member.js'
 * @import { Census, People } from './people/people.js'
 * @import { SessionLog } from './record/reports.js'
 * @import { Room } from './room.js'
 *
 * A room's settings: plain data that could be sent to another thread or machine, and apart from it
 * the services.
 *
 *
 * @typedef {Pick<Config, typeof ROOM_OPTIONS[number]> & OwnSettings} RoomConfig  plain data: it
 *   survives structuredClone
 *
 * @typedef {object} OwnSettings  settings that aren't options, or are one part of one
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery
 * @property {'bundle' | 'packets'} forwardWay  forwards all voices of a frame together, or each
 *   packet when it arrives
 * @property {number | 'auto'} serverDelayMs  D
 * @property {number} maxServerDelayMs  longest D that `auto` chooses
 * @property {number} receivedTarget  share of each speaker's frames that `auto` waits for, in
 *   percent
 * @property {number | 'auto'} listenerBitrate  highest bit rate of a broadcast's listeners
 * @property {number | 'auto'} listenerStride  frames in one packet to a listener
 * @property {boolean} echo  people receive their own voice too
 * @property {number} relayFrom  number of listeners at which other nodes begin to relay the room
 * @property {number} complexity  of the server's encoders, 0 to 10
 * @property {boolean} e2e  speech is encrypted end to end, so it can only be forwarded
 * @property {string} listenerRule  name of the rule in RATE_RULES by which a broadcast's
 *   listeners get their bit rates
 * @property {number} maxDelayMs  largest D that the room can be set to
 * @property {number} placeAfterMs  time for which a participant must have been heard, for their
 *   place to be kept
 * @property {number} phase  0 to 1: part of a frame, and of a second, by which this room is behind
 *   others
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
 * @property {(happening: Happening) => void} [happened]  notifies the operator's webhooks
 *
 * @typedef {object} Cluster  the cluster as rooms use it
 * @property {(room: string, places?: readonly PlaceNote[]) => void} ended a room has ended here;
 *   places: notes that its tokens lack
 * @property {(room: string) => number} epochOf  of a room; above that of the room before it
 * @property {(room: string, state: KnownState) => void} ruled  a room's state has changed
 * @property {(change: BanChange) => void} [banned]  a ban was made or lifted here
 * @property {(room: string) => KnownState | null} rulesOf state that a room had on the previous
 *   node
 * @property {(room: string) => readonly PlaceNote[]} placesOf notes on a room's places that its
 *   tokens lack
 * @property {(room: string) => ChatState | null} [chatOf] chat of a room on the previous node,
 *   which has drained; once
 * @property {() => NodeAddress[]} nodes  addresses for clients, this one first
 * @property {(room: string) => NodeAddress | null} [relayFor] another node for a
 *   listener; null without one
 *
 * @typedef {object} RoomOwner  owner of all rooms
 * @property {(room: Room) => void} ended  the last member has gone
 * @property {(room: Room, state: RoomState | null) => void} failed the room has failed; state: to
 *   reopen it with
 * @property {(room: Room) => void} changed  a visible change
 * @property {Turns} departures  turns in which others are notified of departures
 * @property {() => boolean} mayKeepPlace  true when one more place may wait for its holder
 * @property {SessionLog} sessions  logs their ends
 * @property {() => boolean} isBusy  true when there is more to mix than can be mixed
 * @property {() => boolean} isFull  true when this server has room for nobody more
 * @property {() => boolean} isNearlyFull  true when this node has room for few more people
 * @property {() => void} settle settles all rooms' loads; to be called once a second, and when a
 *   tick is late
 * @property {Bans} bans  of all rooms
 * @property {RoomTotals} totals  of rooms and members that have gone
 * @property {Census} census  of all rooms of this kind
 * @property {Tracks} tracks  the sound of all rooms' backing tracks
 *
 * @typedef {object} RoomBase  what a room and each of its parts are made with
 * @property {string} room  its name
 * @property {Readonly<RoomConfig>} config
 * @property {RoomServices} services
 * @property {RoomOwner} owner
 * @property {Clock} clock  the room's: a fault of its timers ends the room
 * @property {SampleClock} sampleClock  the room's
 * @property {RoomEvents} events
 * @property {People} people
 *
 * @typedef {Emitter<{
 *   fault: [where: string, error: unknown],
 *   changed: [],
 *   freed: [member: Member],
 *   chosen: [heir: Member],
 *   removed: [member: Member, code: ErrorCode],
 *   emptied: [],
 *   ended: [code: ErrorCode],
 * }>} RoomEvents  reports of a room's parts. fault: something threw; changed: state that is
 *   kept on other threads; freed: nobody has the member's place any more; chosen: the member has a
 *   role by succession; removed: a moderator has put the member out; emptied: nobody is expected
 *   any more; ended: the room is over for everybody
 *
 * @typedef {object} Elsewhere  the other room hosts of the server, whose rooms are on other
 *   threads
 * @property {() => { present: number, away: number, rooms: number }} others numbers of their
 *   people and rooms
 * @property {(own: { present: number, away: number, rooms: number }) => void} publish sends
 *   them the numbers of this one
 * @property {(fact: Fact) => void} tell sends them a fact about all rooms of the server
 * @property {(room: Room) => void} opened  a room that others can find has been opened
 * @property {(room: Room) => void} changed
 * @property {(room: Room) => void} ended
 *
 * @typedef {{ type: 'join', network: string | null } | PasswordTry
 *   | BanChange
 *   | RecordingChange} Fact  plain data
 *
 * @typedef {object} Observer  watches the frames; must be quick, because it runs on their path
 * @property {(member: Member, frame: number, arrivalMs: number) => void} received
 * @property {(frame: number, latenessMs: number) => void} ticked
 * @property {(listener: Listener, source: Source, start: number, samples: number) => void} mixed
 *   in `reply`: these samples of the source were read for the listener, as far as they existed
 *
 * @typedef {Partial<Omit<JoinMessage, 'type' | 'version' | 'room' | 'name' | keyof FormatFields>> &
 *   FormatFields} JoinRequest  contents of a join besides room and name
 * @typedef {{ frameMs?: number, channels?: number }} FormatFields  wider than a join's: a room of
 *   another node may have values that only an option can set
 */

import { MAX_SERVER_DELAY_MS } from '../../public/shared/limits.js';
import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { streamBitrate } from '../../public/shared/stream/bitrate.js';
import { defaultEncoderSettings } from '../../public/shared/stream/codec.js';
import { audioFormatOf, partsOf, readListenerBitrate, readServerDelay } from '../config/readers.js';

/** Options of the server that each room has as they are set. */
const ROOM_OPTIONS = Object.freeze(
  /** @type {const} */ ([
    'mode',
    'broadcast',
    'stragglerMs',
    'maxSpeakers',
    'levelBalance',
    'silenceSuppression',
    'redundancy',
    'bitrate',
    'application',
    'maxParticipants',
    'idleTimeoutMs',
    'awayTimeoutMs',
  ]),
);

/** Time for which a participant must have been heard, for their place to be kept. */
export const PLACE_AFTER_MS = 5000;

/** Number of listeners at which other nodes of a cluster begin to relay a room. */
const RELAY_FROM = 1000;

/**
 * The settings of a new room.
 * @param {Config} config  the server's
 * @returns {RoomConfig}
 */
export function roomConfigOf(config) {
  const { complexity, delivery, echo = false, relayFrom = RELAY_FROM } = config;
  const own = {
    format: audioFormatOf(config),
    delivery: delivery === 'reply' ? 'reply' : 'tick',
    forwardWay: delivery === 'packets' ? 'packets' : 'bundle',
    ...partsOf(readServerDelay, config.serverDelayMs),
    ...partsOf(readListenerBitrate, config.listenerBitrate),
    echo,
    relayFrom,
    complexity: complexity === 'auto' ? defaultEncoderSettings.complexity : complexity,
    e2e: false,
    listenerRule: 'probe',
    maxDelayMs: MAX_SERVER_DELAY_MS,
    placeAfterMs: PLACE_AFTER_MS,
    phase: 0,
  };
  const options = Object.fromEntries(ROOM_OPTIONS.map((key) => [key, config[key]]));
  return /** @type {RoomConfig} */ ({ ...options, ...own });
}

/**
 * A room's settings as the participant who begins it asks for: stereo where the codec has it, with
 * as much more bit rate.
 * @param {RoomConfig} config
 * @param {JoinRequest} request
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
