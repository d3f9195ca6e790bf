/** The interface of the package's export `aloud/client`: see docs/programs.md. */

export interface JoinOptions {
  /** The server's address, such as `https://talk.example.org`, or the link of a room, with its token and key if it has them. */
  url: string;
  /** The room's name; not needed where the link has it. */
  room?: string;
  /** The name that others see. Default: 'Program'. */
  name?: string;
  /** true: only to listen, as one of the audience. Nothing can be said then. */
  listen?: boolean;
  /**
   * How near to whoever speaks, while one only listens: 'conversation' (the default) as those who answer, 'near' at most 250 ms
   * behind, 'steady' 1.5 s behind, so that what is lost or late comes after all.
   */
  nearness?: 'conversation' | 'near' | 'steady';
  /** false: nothing is decoded, for a program that only speaks. Default: true. */
  hear?: boolean;
  /** true: what is said is music, of which no quiet part is taken for noise. */
  music?: boolean;
  /** The token that lets one in, where the server asks for one. */
  token?: string;
  /** The room's password. */
  password?: string;
  /** The room's key, where it is encrypted end to end. */
  e2eKey?: string;
  /** Of a room that begins with this program: mono or stereo. */
  channels?: 1 | 2;
  /** Of what is said, in bits a second for each channel of the room. Default: the room's. */
  bitrate?: number;
  /** Default: 'auto', the best that works. */
  transport?: 'auto' | 'webtransport' | 'websocket' | 'http1';
}

export interface Person {
  readonly id: string;
  readonly name: string;
  /** What to show: the name, with a number where another has it too. */
  readonly label: string;
  readonly muted: boolean;
  /** 'moderator', 'speaker' or 'listener'. */
  readonly role: string;
  /** The place of the raised hand in the order in which hands went up; 0 while it is down. */
  readonly hand: number;
  /** The connection is lost, the place is kept. */
  readonly away: boolean;
  /** Whether this is the program itself. */
  readonly you: boolean;
}

export interface ChatMessage {
  readonly from: string;
  readonly name: string;
  readonly text: string;
  /** When it was sent, as in ISO 8601. */
  readonly at: string;
}

/** Who is heard now. */
export interface Speaker {
  readonly id: string;
  /** In -dBov: 0 is the loudest. */
  readonly level: number;
  readonly voice: boolean;
}

export interface CallEvents {
  /** Anything about the people, or how many only listen, has changed. */
  people: [people: readonly Person[], audience: number];
  chat: [message: ChatMessage];
  /** Those who are heard, the loudest first, ten times a second at most; none when it falls silent, once. */
  speakers: [speakers: readonly Speaker[]];
  /** The connection is lost, and tried again. */
  reconnecting: [];
  /** The connection is back. What was to be said waits meanwhile, and what was said there is not heard. */
  reconnected: [];
  /** The call is over: 'left' after leave(), otherwise a code of the protocol and a sentence. */
  closed: [end: { code: string; message: string }];
  /** Any message of the server that isn't told otherwise. */
  message: [message: Record<string, any>];
}

export interface Call {
  /** The program's own id. */
  readonly you: string;
  readonly room: string;
  /** Of the sound both ways, in Hz: 48 000, unless whoever runs the server has chosen another one. */
  readonly sampleRate: number;
  /** 1, or 2: left and right interleaved. */
  readonly channels: number;
  readonly people: readonly Person[];
  /** How many are there who only listen. */
  readonly audience: number;
  readonly state: 'joined' | 'reconnecting' | 'ended';
  /** How much was heard while nobody read it for too long, in milliseconds: it is left out. */
  readonly missedMs: number;

  /**
   * What is heard from now on: pieces of some 10 ms, as time passes, -1 to 1. Silence is there too. It ends with the call.
   * One reader: the same stream each time.
   */
  readonly heard: ReadableStream<Float32Array>;
  /** Takes what is said: pieces of any length, written as fast as it takes them. Closing it waits until all is said. */
  readonly voice: WritableStream<Float32Array>;
  /**
   * Says something after what was to be said before.
   * @param samples -1 to 1, interleaved where the room is stereo; not to be changed until they are said
   * @returns a promise that is kept once there is room for more: await it before the next. It is rejected with the code
   *   'not-allowed' while the call may not speak: by its invitation, or in a broadcast without a place on its stage
   */
  say(samples: Float32Array): Promise<void>;
  /** Waits until all has been said. It is rejected as say() is. */
  said(): Promise<void>;
  /** What waits to be said is dropped. */
  hush(): void;

  mute(muted: boolean): void;
  chat(text: string): void;
  raiseHand(raised: boolean): void;
  /** Sends any message of the protocol. */
  send(message: Record<string, unknown>): void;
  /** Leaves the room, and ends what the call holds. Idempotent. */
  leave(): Promise<void>;

  on<E extends keyof CallEvents>(event: E, listener: (...args: CallEvents[E]) => void): this;
  once<E extends keyof CallEvents>(event: E, listener: (...args: CallEvents[E]) => void): this;
  off<E extends keyof CallEvents>(event: E, listener: (...args: CallEvents[E]) => void): this;
}

/**
 * Joins a room.
 * @returns a promise of the call, which is rejected with an error whose `code` is one of the protocol's, such as 'room-full'
 */
export function join(options: JoinOptions): Promise<Call>;

/** What a call, too, has. */
export interface SoundFormat {
  readonly sampleRate: number;
  /** 1 or 2. */
  readonly channels: number;
}

export interface SoundWriter {
  write(samples: Float32Array): void;
  /** Writes what is left, and closes the file. Once only. */
  end(): void;
}

/**
 * Reads a sound file piece by piece: WAV, Ogg Opus, and what ffmpeg reads if it is installed. More than two channels are
 * mixed down by ITU-R BS.775.
 * @param format what it is brought to, such as a call's; gain: a factor of amplitude
 */
export function readSound(
  file: string,
  format: SoundFormat & { gain?: number },
): AsyncGenerator<Float32Array, void>;

/**
 * Writes a file that ends in .wav, .opus, .ogg or .raw (samples of 16 bits).
 * @param format of the samples, such as a call's
 */
export function writeSound(file: string, format: SoundFormat): Promise<SoundWriter>;
