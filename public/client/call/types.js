/**
 * The types of the call's client: options, the view of a call, and the port to the worker. No page
 * loads this file.
 *
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { ClientMessage, JoinWishes } from '../../shared/messages/client-messages.js'
 * @import { BanFields, BeatFields, ChatFields } from '../../shared/messages/fields.js'
 * @import { RecordingFields, TrackFields } from '../../shared/messages/fields.js'
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { Failure, ServerConfig } from '../connection/choose.js'
 * @import { TransportName } from '../connection/connection.js'
 * @import { ClientStats } from './call-stats.js'
 * @import { HeardSpeaker } from './heard-speakers.js'
 * @import { Person } from './roster.js'
 *
 * @typedef {object} Joined
 * @property {string} you                 the participant's id
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery
 * @property {number} serverDelayMs
 * @property {string} resume the token with which another client takes up the same place
 * @property {string} origin of the server, or of the node of its cluster that has the room
 * @property {string} leaveUrl where a page that goes away sends a beacon; empty when none is needed
 *
 * @typedef {'auto' | TransportName} TransportChoice
 *
 * @typedef {object} Output  between a client and its output device
 * @property {number} waitMs   the wait for the sound card of a piece that is pulled just in time
 * @property {number} gaps     times when the sound card found nothing
 * @property {number} gapMs    the length of those gaps in all
 *
 * @typedef {object} ClientOptions  made by a page or a program, and passed whole
 * @property {JoinWishes} join                       sent to the server as it is
 * @property {string} origin                         the server's, such as 'http://localhost:8080'
 * @property {TransportChoice} [transport]             default 'auto'
 * @property {boolean} [muted]                       default false
 * @property {number} [bitrate] of one's own stream, in bits a second for each channel of the room;
 *   the room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application] tuning of one's own encoder
 * @property {boolean} [silenceSuppression] default true: silence is left out where the server
 *   allows it; false for music, of which nothing should be taken for noise
 * @property {string[]} [nodes] origins of a cluster's nodes, that one being asked first; the origin
 *   alone by default
 * @property {string} [e2eKey] the room's key, base64url, where it is encrypted end to end
 * @property {ServerConfig} [config]                 fetched from the server when absent
 *
 * @typedef {Partial<Pick<ClientOptions, 'muted' | 'silenceSuppression'> & Pick<JoinWishes,
 *   'nearness'>>} LiveOptions  what can change during a call
 *
 * @typedef {object} DeviceOptions  what stays on the page
 * @property {string | null} [microphoneId] '' (default): the default microphone; null: listen only
 * @property {boolean} [processing] false: echo cancellation, noise suppression and gain control are
 *   all off, unless asked for one by one; default true
 * @property {boolean} [echoCancellation]
 * @property {boolean} [noiseSuppression]
 * @property {boolean} [autoGainControl]
 * @property {string} [speakerId] '' (default): the default speaker, or what the system chooses
 *
 * @typedef {Omit<ClientOptions, 'origin'> & DeviceOptions} CallOptions
 *
 * @typedef {object} Rules  of the room
 * @property {boolean} locked    nobody new may come in
 * @property {boolean} lobby     newcomers wait until a moderator lets them in
 * @property {boolean} password  newcomers must know a password
 * @property {'everybody' | 'moderators'} chat the people that may write
 * @property {'everybody' | 'moderators'} record the people that may record
 * @property {'mix' | 'forward' | 'auto'} mode the room's sound is mixed, or forwarded
 * @property {boolean} broadcast people without an invitation to the stage only listen
 * @property {number | null} liveSeconds for how long it had been live when the server told it; null
 *   where it isn't
 * @property {number | null} liveSince when that began, in milliseconds since 1970, by the clock of
 *   High Resolution Time; likewise
 *
 * @typedef {object} Access  what this participant may do, and the room's rules
 * @property {boolean} waiting in the waiting room, until a moderator lets this participant in
 * @property {string} role       'moderator', 'speaker' or 'listener'
 * @property {string[]} may of 'speak', 'listen', 'chat', 'record', 'moderate', before the room's
 *   rules
 * @property {boolean} silenced  a moderator has muted this participant, who can't undo it
 * @property {Rules} rules
 * @property {string} stage the key of a broadcast's stage, for people on it; empty otherwise
 * @property {boolean} e2e       the room is encrypted end to end
 * @property {{ id: string, name: string }[]} knocks people in the waiting room; only moderators
 *   have them
 * @property {BanFields[]} bans  as asked for last
 * @property {{ count: number, people: { id: string, label: string }[] }} hands raised in the
 *   audience; only moderators have them
 * @property {{ find: string, count: number, people: { id: string, label: string, hand: number }[],
 *   next: string | null }} audience the part of it that a moderator asked for last
 *
 * @typedef {object} RoomView  the room, as a page shows it
 * @property {number} session  another number after each welcome, from which on all else is new
 * @property {string} you      one's own id; empty before the welcome
 * @property {Person[]} people everybody but the people who only listen
 * @property {number} listeners  the number of people who only listen
 * @property {Access} access
 * @property {ChatFields[]} chat  the last ones
 * @property {{ beat: BeatFields | null, by: string | null }} metronome
 *   by: the person who changed it
 * @property {{ track: TrackFields | null, by: string | null }} track
 *   by: the person who changed it; null when it has come to its end
 * @property {RecordingFields | null} recording
 * @property {boolean} canRecord the server can record this room
 * @property {boolean} isDraining the server ends soon, and another one will go on
 * @property {boolean} isStereo
 * @property {string} node  the origin of the cluster's node that has the room; empty for the
 *   page's own server
 *
 * @typedef {{ took: TransportName, tried: Failure[] }} Transport
 *   the one in use, and those that failed before
 *
 * @typedef {object} CallProgress
 * @property {'idle' | 'connecting' | 'joined' | 'away' | 'ended'} state  away: the connection is
 *   lost, and the call tries to come back
 * @property {{ since: number, nextTry: number } | null} away  in milliseconds since 1970: when the
 *   connection was lost, and when it is tried next; in the past during a try
 * @property {{ code: string, message: string } | null} end
 *   why the call is over: 'left', or the code of a sentence, with a message for diagnosis
 * @property {Transport | null} transport
 * @property {Joined | null} joined  after the last join
 * @property {HeardSpeaker[]} speakers the people that are heard, the loudest first, ten times a
 *   second at most; none in silence
 * @property {ClientStats | null} stats  each second
 *
 * @typedef {RoomView & CallProgress} CallView  the call, as a page or a program sees it
 *
 * @typedef {object} ToWorker  the messages of the page, and what each carries
 * @property {ClientOptions} join
 * @property {LiveOptions} change
 * @property {ClientMessage} control   for the server
 * @property {null} wake        the network, the computer or the page may have come back
 * @property {{ keepsPlace: boolean }} leave  answered by `left`
 * @property {{ memory?: ArrayBufferLike, port: MessagePort }} capture  the capture worklet's ring
 *   and port; without a ring the port carries the samples
 * @property {{ sound: ReadableStream<AudioData> }} capture-track  the microphone, as it is
 * @property {null} capture-ended
 * @property {{ memory: ArrayBufferLike, port: MessagePort, sampleRate: number, blockMs: number
 *   }} playback  the playback worklet's ring and port
 * @property {{ frames: number, leadMs: number }} pull  answered by as many `frame`
 *
 * @typedef {object} ToPage  the messages of the worker, likewise
 * @property {Partial<CallView>} changed   of the call's store
 * @property {ServerMessages['refused']} refused  of the server, likewise the next two
 * @property {ServerMessages['moderated']} moderated
 * @property {ServerMessages['track-place']} track-place
 * @property {{ code: string }} notice
 * @property {{ samples: Float32Array<ArrayBuffer> }} frame
 * @property {null} left
 *
 * @typedef {object} MessageTarget  one end of a port: a Worker, or its global scope
 * @property {(message: object, options?: { transfer: Transferable[] }) => void} postMessage
 * @property {((this: never, event: MessageEvent) => void) | null} onmessage
 */

export {};
