/** The interface of the package's export `aloud/client`: see docs/programs.md. */

export interface JoinOptions {
  /**
   * The server's address, such as `https://talk.example.org`, or the link of a room, with its token
   * and key if it has them.
   */
  url: string;
  /** The room's name; not needed if the link has it. */
  room?: string;
  /** The name that others see. Default: 'Program'. */
  name?: string;
  /** true: joins as one of the audience, who can't say anything. */
  listen?: boolean;
  /**
   * Delay behind the speakers while the program only listens. With 'conversation' (the default) it
   * is as short as for people who answer, with 'near' at most 250 ms longer. With 'steady' it is
   * 1.5 s longer, so that lost and late packets come in time.
   */
  nearness?: 'conversation' | 'near' | 'steady';
  /** false: decodes nothing, for a program that only speaks. Default: true. */
  hear?: boolean;
  /**
   * true: gets each voice apart, by the event `voice`; not over HTTP/1, and not with `listen`.
   * `heard` is their sum.
   */
  voices?: boolean;
  /** true: the program's sound is music, in which no quiet part is taken for noise. */
  music?: boolean;
  /** The token of an invitation, if the server asks for one. */
  token?: string;
  /** The room's password. */
  password?: string;
  /** The room's key, if the room is encrypted end to end. */
  e2eKey?: string;
  /** Mono or stereo, if this program opens the room. */
  channels?: 1 | 2;
  /** Bits of PCM in place of Opus, in rooms whose frames have 2.5 or 5 ms. */
  pcm?: 16 | 24;
  /** Bits a second of the program's sound, for each channel of the room. Default: the room's. */
  bitrate?: number;
  /** Default: 'auto', the best that works. */
  transport?: 'auto' | 'webtransport' | 'websocket' | 'http1';
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** The name to show, with a number if another person has the same name. */
  readonly label: string;
  readonly muted: boolean;
  /** 'moderator', 'speaker' or 'listener'. */
  readonly role: string;
  /** The place of the raised hand in the order in which hands went up; 0 while it is down. */
  readonly hand: number;
  /** The group that they are in; 0 in the room itself. */
  readonly group: number;
  /** The language that they interpret into (BCP 47); empty for others. */
  readonly language: string;
  /** Title of their sound, as they have told it; empty without one. */
  readonly title: string;
  /** The id of the person whose shared sound this is; empty for people. */
  readonly owner: string;
  /** True while the connection is lost and the place is kept. */
  readonly away: boolean;
  /** True for the program itself. */
  readonly you: boolean;
}

export interface ChatMessage {
  readonly from: string;
  readonly name: string;
  readonly text: string;
  /** Time of sending, as in ISO 8601. */
  readonly at: string;
}

/** Words of a speaker, as a program writes them. */
export interface Caption {
  /** At most 240 characters. */
  readonly text: string;
  /** Id of the person who spoke. Default: the program itself. */
  readonly person?: string;
  /** Language tag (BCP 47), such as 'en-GB'. */
  readonly lang: string;
  /** false: the next caption of this person replaces this one. Default: true. */
  readonly final?: boolean;
  /** Time since the speech began, in seconds. */
  readonly seconds?: number;
}

/** Words of a speaker, as readers get them. */
export interface ReceivedCaption {
  readonly person: string;
  readonly name: string;
  /** Label of the program that wrote it, if it was one. */
  readonly by?: string;
  readonly text?: string;
  readonly lang: string;
  readonly final: boolean;
}

/** Somebody who is heard now. */
export interface Speaker {
  readonly id: string;
  /** In -dBov: 0 is the loudest. */
  readonly level: number;
  readonly voice: boolean;
}

export interface CallEvents {
  /** The list of people, or the number of listeners, has changed. */
  people: [people: readonly Person[], audience: number];
  chat: [message: ChatMessage];
  /** Words of a speaker; after captions({ want: true }). */
  caption: [caption: ReceivedCaption];
  /** Somebody wants captions now, or nobody does; writer: the program that writes them. */
  captions: [captions: { readonly on: boolean; readonly writer: string | null }];
  /**
   * A decoded piece of one person's voice, with the option `voices`. In pauses of a person nothing
   * comes.
   */
  voice: [person: string, samples: Float32Array];
  /** The heard people, the loudest first, at most ten times a second; an empty list in silence. */
  speakers: [speakers: readonly Speaker[]];
  /** The connection is lost, and the client tries to connect again. */
  reconnecting: [];
  /**
   * The connection is back. Speech has waited; what others said in between is lost. Also emitted
   * alone, when the room has moved to another node of a cluster, without a break.
   */
  reconnected: [];
  /** The call is over: 'left' after leave(), otherwise a code of the protocol and a sentence. */
  closed: [end: { code: string; message: string }];
  /**
   * Any message of the server without an event of its own, except messages for the client itself,
   * such as `stats`.
   */
  message: [message: Record<string, any>];
}

export interface Call {
  /** The program's own id. */
  readonly you: string;
  readonly room: string;
  /**
   * Sample rate in both directions, in Hz: 48 000 unless the server has another one. It stays for
   * the whole call, as `channels` do: sound is converted if the room comes back with others.
   */
  readonly sampleRate: number;
  /** 1, or 2: left and right interleaved. */
  readonly channels: number;
  readonly people: readonly Person[];
  /** Number of people who only listen. */
  readonly audience: number;
  readonly state: 'joined' | 'reconnecting' | 'ended';
  /** Length of received sound that was dropped because nobody read it in time, in milliseconds. */
  readonly missedMs: number;

  /**
   * Sound from now on: pieces of some 10 ms as time passes, silence included, from -1 to 1. It ends
   * with the call. There is one stream, the same each time, for one reader; once that is cancelled,
   * as by a `break`, there is another.
   */
  readonly heard: ReadableStream<Float32Array>;
  /**
   * Accepts speech: pieces of any length, with backpressure. Closing it waits until all is said;
   * after that, or after a refused piece, there is another stream.
   */
  readonly voice: WritableStream<Float32Array>;
  /**
   * Says something after everything said before.
   * @param samples -1 to 1, interleaved if the room is stereo; unchanged until they are said
   * @returns a promise that is fulfilled once there is room for more: await it before the next
   *   call. Rejects with the code 'not-allowed' while the call may not speak: by its invitation, or
   *   in a broadcast without a place on its stage. Rejects with a TypeError in a call that joined
   *   with `listen`
   */
  say(samples: Float32Array): Promise<void>;
  /** Waits until all has been said. Rejects as say() does. */
  said(): Promise<void>;
  /** Drops speech that hasn't been said. */
  hush(): void;

  mute(muted: boolean): void;
  chat(text: string): void;
  raiseHand(raised: boolean): void;
  /** True while somebody in the room wants captions. */
  readonly captionsWanted: boolean;
  /** Asks for captions, or to write those of everybody; captions({}) ends both. */
  captions(wish: { want?: boolean; write?: boolean }): void;
  /** Says what somebody said. Others than its own need captions({ write: true }). */
  caption(text: string, caption: Omit<Caption, 'text'>): void;
  /** Sends any message of the protocol. */
  send(message: Record<string, unknown>): void;
  /** Leaves the room, and releases everything that the call holds. Idempotent. */
  leave(): Promise<void>;

  on<E extends keyof CallEvents>(event: E, listener: (...args: CallEvents[E]) => void): this;
  once<E extends keyof CallEvents>(event: E, listener: (...args: CallEvents[E]) => void): this;
  off<E extends keyof CallEvents>(event: E, listener: (...args: CallEvents[E]) => void): this;
}

/**
 * Joins a room.
 * @returns a promise of the call. Rejects with an error whose `code` is one of the protocol's, such
 *   as 'room-full', or 'connection-failed' when no server answers. Rejects with a TypeError when
 *   the address names no room
 */
export function join(options: JoinOptions): Promise<Call>;

/** Format of samples; a call has one too. */
export interface SoundFormat {
  readonly sampleRate: number;
  /** 1 or 2. */
  readonly channels: number;
}

export interface SoundWriter {
  write(samples: Float32Array): void;
  /** Writes the rest, and closes the file. Call it once. */
  end(): void;
}

/**
 * Reads a sound file piece by piece: WAV, Ogg Opus, and all that ffmpeg reads if it is installed.
 * More than two channels are mixed down as in ITU-R BS.775.
 * @param format of the samples returned, such as a call's; gain: a factor of amplitude
 */
export function readSound(
  file: string,
  format: SoundFormat & { gain?: number },
): AsyncGenerator<Float32Array, void>;

/**
 * Writes a file whose name ends in .wav, .opus, .ogg or .raw (samples of 16 bits).
 * @param format of the samples, such as a call's
 */
export function writeSound(file: string, format: SoundFormat): Promise<SoundWriter>;
