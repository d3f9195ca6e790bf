/** What is given to a Client, and what it tells. */

/**
 * @import { AudioFormat } from '../../shared/audio-format.js'
 * @import { ClientStats } from './client-stats.js'
 * @import { Failure, ServerConfig } from '../connection/choose.js'
 * @import { TransportName } from '../connection/connection.js'
 * @import { Person } from './people.js'
 * @import { HeardSpeaker } from '../playout/speakers.js'
 *
 * @typedef {object} Joined
 * @property {string} you                 the participant's id
 * @property {AudioFormat} format
 * @property {'tick' | 'reply'} delivery
 * @property {number} serverDelayMs
 * @property {string} resume              the token with which another client takes up the same place
 * @property {string} leaveUrl            where a page that goes away sends a beacon; empty where none is needed
 *
 * @typedef {object} ClientEvents  all are optional
 * @property {(transport: { took: TransportName, tried: Failure[] }) => void} transport
 * @property {(joined: Joined) => void} joined
 * @property {(people: { people: Person[], you: string }) => void} people
 * @property {(stats: ClientStats) => void} stats
 * @property {() => void} sound  a packet of sound has come
 * @property {(speakers: HeardSpeaker[]) => void} speakers
 *   who is to be heard, the loudest first, ten times a second at most; none when it falls silent, once
 * @property {(message: Record<string, any>) => void} control
 *   a message of the server that this client leaves to who shows it: `welcome`, `chat`, `refused`, `recording` …
 * @property {(end: { code: string, message: string }) => void} ended
 *   the server or the network has ended it, after `joined`; not called for leave()
 *
 * @typedef {object} Output  what is between a client and its speaker
 * @property {number} waitMs   how long what is pulled just in time waits for the sound card
 * @property {number} gaps     how often the sound card found nothing
 * @property {number} gapMs    how much of the sound's time that was, in all
 *
 * @typedef {object} JoinOptions
 * @property {string} room
 * @property {string} name
 * @property {string} origin                         the server's, such as 'http://localhost:8080'
 * @property {'auto' | TransportName} [transport]    default 'auto'
 * @property {boolean} [muted]                       default false
 * @property {boolean} [mirror]                      true: a room of one, where one hears oneself 2 s later
 * @property {10 | 20} [frameMs]                     of a room that begins with this participant
 * @property {1 | 2} [channels]                      likewise: mono or stereo
 * @property {number} [bitrate]                      of one's own stream, in bits a second for each channel of the room;
 *   the room's by default
 * @property {'audio' | 'voip' | 'low-delay'} [application]  what one's own encoder is tuned for
 * @property {boolean} [silenceSuppression]          default true: silence is left out where the server allows it;
 *   false for music, of which nothing should be taken for noise
 * @property {string} [resume]                       the token of a place to be taken up again
 * @property {ServerConfig} [config]                 fetched from the server when absent
 */

export {};
