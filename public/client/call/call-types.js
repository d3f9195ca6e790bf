/**
 * @typedef {'auto' | 'webtransport' | 'websocket' | 'http1'} TransportWish
 *
 * @typedef {object} CallOptions
 * @property {string} room
 * @property {string} name
 * @property {TransportWish} [transport]        default 'auto'
 * @property {boolean} [muted]                  default false
 * @property {string} [resume]                  the token of one's place in the room, to take it up again
 * @property {string | null} [microphoneId]     '' (default): the default microphone; null: listen only
 * @property {boolean} [processing]             false: echo cancellation, noise suppression and gain control
 *   are all off, unless asked for one by one; default true
 * @property {boolean} [echoCancellation]
 * @property {boolean} [noiseSuppression]
 * @property {boolean} [autoGainControl]
 * @property {string} [speakerId]               '' (default): the default speaker, or what the system chooses
 * @property {boolean} [mirror]                 true: a room of one, where one hears oneself two seconds later
 * @property {10 | 20} [frameMs]               of a room that begins with this call; the server's by default
 * @property {1 | 2} [channels]                 likewise: mono or stereo; and how the microphone is opened, where echo
 *   cancellation is off
 * @property {number} [bitrate]                 of one's own stream, in bits a second for each channel of the room; the
 *   room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application]  what one's own Opus encoder is tuned for
 *
 * @typedef {import('./people.js').Person} CallPerson
 *
 * @typedef {import('./client-stats.js').ClientStats} CallStats
 *
 * @typedef {object} CallEvents  the `detail` of each event
 * @property {{ state: CallState, code?: string, message?: string, since?: number, nextTry?: number }} state
 *   'failed' has the code of a sentence, and a message for whoever looks into it. After 'failed' and 'left' the call is over: make a new one to join
 *   again. 'reconnecting' says since when the connection is lost and when it is tried again, in milliseconds
 *   since 1970; the call comes back to 'joined' by itself, with the same name, and mostly the same id
 * @property {{ people: CallPerson[], you: string }} people   everybody, whenever anything about them changes
 * @property {{ took: string, tried: import('../connection/choose.js').Failure[] }} transport
 *   before 'joined'; `tried` are those that failed before
 * @property {CallStats} stats                  each second
 * @property {{ id: string, level: number, voice: boolean }[]} speakers
 *   who is to be heard, the loudest first, level in -dBov; ten times a second at most, and none once in silence
 * @property {Record<string, any>} control      a message of the server: `welcome`, `chat`, `refused` …
 * @property {{ code: string }} notice
 *   the call goes on, but: 'no-microphone', 'microphone-refused', 'microphone-busy', 'microphone-ended',
 *   'microphone-insecure', 'no-shared-memory' (listening only); 'microphone-slow' (the browser may be asking for it,
 *   and joining waits: see listenFirst()); 'microphone-muted' (by the system);
 *   'microphone-replaced', 'speaker-replaced' (by the default one, until it comes again), 'microphone-back',
 *   'speaker-back'; 'sound-blocked', 'sound-interrupted' (call resumeSound() when the person presses
 *   something; any press on the page does the same), 'sound-resumed';
 *   'room-mono' (though stereo was asked for)
 * @property {{ code: string }} settled  what the notice of this code said is no longer so
 *
 * @typedef {'idle' | 'connecting' | 'joined' | 'reconnecting' | 'left' | 'failed'} CallState
 */

export {};
