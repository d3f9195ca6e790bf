/**
 * The types of the call's client: options, the view of a call, and the port to the worker. No page
 * loads this file.
 *
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { ClientMessage, JoinRequest } from '../../shared/messages/client-messages.js'
 * @import { BanFields, BeatFields, ChatFields } from '../../shared/messages/fields.js'
 * @import { RecordingFields, TrackFields } from '../../shared/messages/fields.js'
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { MicrophoneOptions } from '../capture/microphone.js'
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
 * @property {string} resume token with which another client resumes the place
 * @property {string} origin of the server, or of the node of its cluster that has the room
 * @property {boolean} isLossless sound passes between this participant and the server as PCM
 * @property {string} leaveUrl where a closing page sends a beacon; empty if none is needed
 *
 * @typedef {'auto' | TransportName} TransportChoice
 *
 * @typedef {object} Output  between a client and its output device
 * @property {number} waitMs   wait for the sound card of a piece that is pulled just in time
 * @property {number} gaps     times when the sound card ran dry
 * @property {number} gapMs    total length of those gaps
 *
 * @typedef {object} ClientOptions  of a page or a program, passed whole
 * @property {JoinRequest} join                       sent to the server unchanged
 * @property {string} origin                         the server's, such as 'http://localhost:8080'
 * @property {TransportChoice} [transport]             default 'auto'
 * @property {boolean} [muted]                       default false
 * @property {number} [bitrate] of this participant's stream, in bits a second for each channel of
 *   the room; default: the room's
 * @property {'audio' | 'voip' | 'low-delay'} [application] tuning of this participant's encoder
 * @property {boolean} [silenceSuppression] default true: silence is left out if the server
 *   allows it; false for music, in which nothing should count as noise
 * @property {string[]} [nodes] origins of a cluster's nodes, asked in this order; default: the
 *   origin alone
 * @property {number | null} [microphoneMs] delay of the microphone's device, in milliseconds, where
 *   it is known
 * @property {number} [suppressionMs] delay of the noise model that captured sound goes through, in
 *   milliseconds; default 0
 * @property {string} [e2eKey] the room's key, base64url, if it is encrypted end to end
 * @property {ServerConfig} [config]                 fetched from the server when absent
 *
 * @typedef {Pick<ClientOptions, 'muted' | 'silenceSuppression' | 'microphoneMs' | 'suppressionMs'>}
 *   ChangingOptions
 * @typedef {Partial<ChangingOptions & Pick<JoinRequest, 'nearness'>>} LiveOptions
 *   options that can change during a call
 *
 * @typedef {object} DeviceOptions  options that stay on the page
 * @property {string | null} [microphoneId] '' (default): the default microphone; null: listen only
 * @property {boolean} [processing] false: echo cancellation, noise suppression and gain control are
 *   all off, unless asked for one by one; default true
 * @property {boolean} [echoCancellation]
 * @property {boolean} [noiseSuppression]
 * @property {boolean} [autoGainControl]
 * @property {boolean} [noiseModel] true: a model in the page removes noise, in place of the
 *   browser's noise suppression; default false
 * @property {Omit<MicrophoneOptions, 'deviceId'> | null} [inputs] options of a microphone whose
 *   left channel is the voice, and whose right one another sound; null (default): it is one input
 * @property {string} [speakerId] '' (default): the default speaker, or the system's choice
 *
 * @typedef {Omit<ClientOptions, 'origin'> & Partial<Pick<ClientOptions, 'origin'>> & DeviceOptions}
 *   CallOptions  origin: the page's own by default
 *
 * @typedef {object} Rules  of the room
 * @property {boolean} locked    nobody new may join
 * @property {boolean} lobby     newcomers wait until a moderator lets them in
 * @property {boolean} password  newcomers must know a password
 * @property {'everybody' | 'moderators'} chat roles that may write
 * @property {'everybody' | 'moderators'} record roles that may record
 * @property {'mix' | 'forward' | 'auto'} mode of the room's sound
 * @property {boolean} broadcast people without an invitation to the stage only listen
 * @property {number | null} liveSeconds time that it had been live when the server sent it; null
 *   while it isn't live
 * @property {number | null} liveSince its beginning, in milliseconds since 1970, by the clock of
 *   High Resolution Time; likewise
 * @property {string[]} languages  that listeners may choose (BCP 47)
 * @property {Groups | null} groups  null unless they are open
 *
 * @typedef {object} Groups  of the room's people, who hear only their own group
 * @property {number} count
 * @property {boolean} choose  everybody may choose a group
 * @property {number | null} endsAt  time at which everybody comes back, as `liveSince`; null: open
 * @property {string | null} speaker  id of the moderator who is heard in all of them
 *
 * @typedef {object} Access  permissions of this participant, and the room's rules
 * @property {boolean} waiting in the waiting room, until a moderator lets this participant in
 * @property {string} role       'moderator', 'speaker' or 'listener'
 * @property {string[]} may of 'speak', 'listen', 'chat', 'record', 'moderate', before the room's
 *   rules
 * @property {boolean} silenced  muted by a moderator, so that this participant can't undo it
 * @property {Rules} rules
 * @property {string} stage the key of a broadcast's stage, for people on it; empty otherwise
 * @property {string | null} streamKey lets a program send to the stage; only moderators have it
 * @property {boolean} e2e       the room is encrypted end to end
 * @property {{ id: string, name: string }[]} knocks people in the waiting room; only moderators
 *   have them
 * @property {BanFields[]} bans  as last requested
 * @property {{ count: number, people: { id: string, label: string }[] }} hands raised in the
 *   audience; only moderators have them
 * @property {{ find: string, count: number, people: { id: string, label: string, hand: number }[],
 *   next: string | null }} audience the part that a moderator requested last
 *
 * @typedef {object} RoomView  the room, as a page shows it
 * @property {number} session  number that changes with each welcome: all else is new then
 * @property {string} you      this participant's id; empty before the welcome
 * @property {Person[]} people everybody except the listeners
 * @property {number} listeners  number of people who only listen
 * @property {Access} access
 * @property {ChatFields[]} chat  the last ones
 * @property {{ beat: BeatFields | null, by: string | null }} metronome
 *   by: the person who changed it
 * @property {{ track: TrackFields | null, by: string | null }} track
 *   by: the person who changed it; null at its end
 * @property {{ on: boolean, writer: string | null }} captions  on: somebody wants captions; writer:
 *   id of the program that writes them for everybody
 * @property {RecordingFields | null} recording
 * @property {boolean} canRecord the server can record this room
 * @property {boolean} isDraining the server will stop soon, and another one take over
 * @property {boolean} isStereo
 * @property {string} node  origin of the cluster's node that has the room; empty for the page's
 *   own server
 *
 * @typedef {{ took: TransportName, tried: Failure[] }} Transport
 *   the one in use, and those that failed before
 *
 * @typedef {object} CallProgress
 * @property {'idle' | 'connecting' | 'joined' | 'away' | 'ended'} state  away: the connection is
 *   lost, and the call tries to reconnect
 * @property {{ since: number, nextTry: number } | null} away  times of the loss and
 *   of the next attempt, in milliseconds since 1970; the latter is in the past during an attempt
 * @property {{ code: string, message: string } | null} end
 *   reason of the end: 'left', or the code of a sentence, with a message for diagnosis
 * @property {Transport | null} transport
 * @property {Joined | null} joined  after the last join
 * @property {HeardSpeaker[]} speakers people who are heard, the loudest first, at most ten times a
 *   second; none in silence
 * @property {ClientStats | null} stats  each second
 *
 * @typedef {RoomView & CallProgress} CallView  the call, as a page or a program sees it
 *
 * @typedef {object} CaptureOptions  what the worker does with captured sound
 * @property {boolean} [noiseModel]  noise is removed
 * @property {boolean | null} [split]  two channels are two inputs, and no noise is removed
 *
 * @typedef {object} ToWorker  messages of the page, with their content
 * @property {ClientOptions} join
 * @property {LiveOptions} change
 * @property {ClientMessage} control   for the server
 * @property {null} wake        the network, the computer or the page may have come back
 * @property {{ keepsPlace: boolean }} leave  answered by `left`
 * @property {{ memory?: ArrayBufferLike, port: MessagePort } & CaptureOptions} capture  the capture
 *   worklet's ring and port; without a ring the port carries the samples
 * @property {{ sound: ReadableStream<AudioData> } & CaptureOptions} capture-track  the microphone's
 *   sound, unprocessed
 * @property {null} capture-ended
 * @property {{ options: ClientOptions, port: MessagePort } | null} second-input  the sound of the
 *   second input joins with these options, and tells the port; see SecondInput. null ends it
 * @property {MessagePort | null} record-own  records captured sound through the port, as
 *   OwnRecording does; null ends that
 * @property {{ memory: ArrayBufferLike, port: MessagePort, sampleRate: number, blockMs: number
 *   }} playback  the playback worklet's ring and port
 * @property {{ frames: number, leadMs: number }} pull  answered by the same number of `frame`
 *
 * @typedef {object} ToPage  messages of the worker, with their content
 * @property {Partial<CallView>} changed   of the call's store
 * @property {ServerMessages['refused']} refused  of the server, likewise the next three
 * @property {ServerMessages['moderated']} moderated
 * @property {ServerMessages['caption']} caption
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
