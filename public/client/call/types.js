/**
 * @import { AudioFormat } from '../../shared/sound/audio-format.js'
 * @import { Nearness } from '../../shared/nearness.js'
 * @import { Failure, ServerConfig } from '../connection/choose.js'
 * @import { TransportName } from '../connection/connection.js'
 * @import { ClientStats } from './client-stats.js'
 * @import { Access } from './access-state.js'
 * @import { HeardSpeaker, Person } from './room-state.js'
 */

/** The options and events of a Client, and of the page's Call. */

/**
 * @typedef {object} Joined
 * @property {string} you                 the participant's id
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery
 * @property {number} serverDelayMs
 * @property {string} resume the token with which another client takes up the same place
 * @property {string} origin of the server, or of the node of its cluster that has the room
 * @property {string} leaveUrl where a page that goes away sends a beacon; empty where none is
 *   needed
 *
 * @typedef {object} ClientEvents  all are optional
 * @property {(transport: { took: TransportName, tried: Failure[] }) => void} transport
 * @property {(joined: Joined) => void} joined
 * @property {(people: { people: Person[], you: string, listeners: number }) => void} people
 * @property {(stats: ClientStats) => void} stats
 * @property {() => void} sound  a packet of sound has come
 * @property {(speakers: HeardSpeaker[]) => void} speakers the people that are heard, the loudest
 *   first, ten times a second at most; none when it falls silent, once
 * @property {(code: string) => void} notice the call goes on, but: 'e2e-key', others have another
 *   key
 * @property {(access: Access) => void} access what one may do, the room's rules, who knocks;
 *   whenever it changes
 * @property {(message: Record<string, any>) => void} control a message of the server that this
 *   client leaves to who shows it: `welcome`, `chat`, `refused`, `recording` …
 * @property {(end: { code: string, message: string }) => void} ended
 *   the server or the network has ended it, after `joined`; not called for leave()
 *
 * @typedef {object} Output  between a client and its output device
 * @property {number} waitMs   the wait for the sound card of a piece that is pulled just in time
 * @property {number} gaps     times when the sound card found nothing
 * @property {number} gapMs    the length of those gaps in all
 *
 * @typedef {object} JoinOptions
 * @property {string} room
 * @property {string} name
 * @property {string} origin                         the server's, such as 'http://localhost:8080'
 * @property {'auto' | TransportName} [transport]    default 'auto'
 * @property {boolean} [muted]                       default false
 * @property {boolean} [mirror] true: a room of one, where one hears oneself 2 s later
 * @property {2.5 | 5 | 10 | 20} [frameMs]           of a room that begins with this participant
 * @property {1 | 2} [channels]                      likewise: mono or stereo
 * @property {number} [bitrate] of one's own stream, in bits a second for each channel of the room;
 *   the room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application]  what one's own encoder is tuned for
 * @property {boolean} [silenceSuppression] default true: silence is left out where the server
 *   allows it; false for music, of which nothing should be taken for noise
 * @property {string} [resume]                       the token of a place to be taken up again
 * @property {string} [token] that lets one in, where the server asks for one (docs/access.md)
 * @property {string} [password]                     the room's
 * @property {boolean} [listen]                      true: only to listen, as one of the audience
 * @property {string} [stage] the key of the stage of a room that is a broadcast
 * @property {Nearness} [nearness] how near to whoever speaks, while one only listens:
 *   docs/broadcast.md
 * @property {string[]} [nodes] origins of a cluster's nodes, that one being asked first; the origin
 *   alone by default
 * @property {'mix' | 'forward' | 'auto'} [mode] of a room that begins with this participant:
 *   docs/forwarding.md
 * @property {string} [e2eKey] the room's key, base64url, where it is encrypted end to end
 * @property {ServerConfig} [config]                 fetched from the server when absent
 */

export {};

/**
 * @typedef {'auto' | 'webtransport' | 'websocket' | 'http1'} TransportWish
 *
 * @typedef {object} CallOptions
 * @property {string} room
 * @property {string} name
 * @property {TransportWish} [transport]        default 'auto'
 * @property {boolean} [muted]                  default false
 * @property {string} [resume] the token of one's place in the room, to take it up again
 * @property {string} [token]                   that lets one in, where the server asks for one
 * @property {string} [password]                the room's
 * @property {boolean} [listen] true: only to listen, as one of the audience; no microphone is
 *   opened
 * @property {string} [stage]                   the key of the stage of a room that is a broadcast
 * @property {import('../../shared/nearness.js').Nearness} [nearness] how near to whoever speaks,
 *   while one only listens; 'conversation' by default
 * @property {string} [e2eKey] the room's key, base64url, where it is encrypted end to end
 * @property {string | null} [microphoneId] '' (default): the default microphone; null: listen only
 * @property {boolean} [processing] false: echo cancellation, noise suppression and gain control are
 *   all off, unless asked for one by one; default true
 * @property {boolean} [echoCancellation]
 * @property {boolean} [noiseSuppression]
 * @property {boolean} [autoGainControl]
 * @property {string} [speakerId] '' (default): the default speaker, or what the system chooses
 * @property {boolean} [mirror] true: a room of one, where one hears oneself two seconds later
 * @property {2.5 | 5 | 10 | 20} [frameMs] of a room that begins with this call; the server's by
 *   default
 * @property {1 | 2} [channels] likewise: mono or stereo; and how the microphone is opened, where
 *   echo cancellation is off
 * @property {number} [bitrate] of one's own stream, in bits a second for each channel of the room;
 *   the room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application] what one's own Opus encoder is tuned for
 *
 * @typedef {import('./room-state.js').Person} CallPerson
 *
 * @typedef {import('./client-stats.js').ClientStats} CallStats
 *
 * @typedef {object} CallEvents  the `detail` of each event
 * @property {{ state: CallState, code?: string, message?: string, since?: number, nextTry?: number
 *   }} state 'failed' has the code of a sentence, and a message for whoever looks into it. After
 *   'failed' and 'left' the call is over: make a new one to join again. 'reconnecting' says since
 *   when the connection is lost and when it is tried again, in milliseconds since 1970; the call
 *   comes back to 'joined' by itself, with the same name, and mostly the same id
 * @property {{ people: CallPerson[], you: string, listeners: number }} people everybody but those
 *   who only listen, and how many those are, whenever anything about them changes
 * @property {{ took: string, tried: import('../connection/choose.js').Failure[] }} transport
 *   before 'joined'; `tried` are those that failed before
 * @property {CallStats} stats                  each second
 * @property {{ id: string, level: number, voice: boolean }[]} speakers the people that are heard,
 *   the loudest first, level in -dBov; ten times a second at most, and none once in silence
 * @property {import('./access-state.js').Access} access what one may do, the room's rules, who
 *   knocks; whenever it changes
 * @property {Record<string, any>} control a message of the server: `welcome`, `chat`, `refused` …
 * @property {{ code: string }} notice the call goes on, but: 'no-microphone', 'microphone-refused',
 *   'microphone-busy', 'microphone-ended', 'microphone-insecure', 'no-audio-worklet' (listening
 *   only); 'microphone-slow' (the browser may be asking for it, and joining waits: see
 *   listenFirst()); 'microphone-muted' (by the system); 'microphone-replaced', 'speaker-replaced'
 *   (by the default one, until it comes again), 'microphone-back', 'speaker-back'; 'no-output';
 *   'sound-blocked', 'sound-interrupted' (call resumeSound() when the person presses something; any
 *   press on the page does the same), 'sound-resumed'; 'room-mono' (though stereo was asked for);
 *   'stereo-processed' (the browser makes a microphone's sides the same); 'track-unreadable',
 *   'track-too-long', 'track-not-sent', 'track-not-heard' (of a backing track)
 * @property {{ code: string }} settled  the notice of this code no longer holds
 *
 * @typedef {'idle' | 'connecting' | 'joined' | 'reconnecting' | 'left' | 'failed'} CallState
 */

export {};
