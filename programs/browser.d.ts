/** The interface of the package's export `aloud/browser`: see docs/embedding.md. */

export interface JoinOptions {
  /** The link of a room, with the token, key or invitation behind its "#" if it has them. */
  room: string;
  /** The name that others see. Default: 'Guest'. */
  name?: string;
  /** true: joins the audience, and needs no microphone. */
  listen?: boolean;
  /** Device id; '' (default): the default microphone. */
  microphone?: string;
  /** Device id; '' (default): the default speaker. */
  speaker?: string;
  /** true: nobody hears this person until `mute(false)`. */
  muted?: boolean;
  /** true: nothing of the microphone's sound is taken for noise or echo. */
  music?: boolean;
  /** The room's password. */
  password?: string;
  /** The token of an invitation, if the link has none. */
  token?: string;
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
}

/** Somebody who is heard now. */
export interface Speaker {
  readonly id: string;
  /** In -dBov: 0 is the loudest. */
  readonly level: number;
  readonly voice: boolean;
}

export interface ChatMessage {
  readonly from: string;
  readonly name: string;
  readonly text: string;
  /** Time of sending, as in ISO 8601. */
  readonly at: string;
}

/** Distance of a listener from the speakers: docs/broadcast.md. */
export type Nearness = 'conversation' | 'near' | 'steady';

/** Statistics of the call: times in milliseconds, null while unknown. */
export interface CallStats {
  readonly nearness: Nearness;
  /** To the server and back. */
  readonly roundTripMs: number | null;
  /** Estimated age of what is heard from somebody equally far away. */
  readonly delayMs: number | null;
  /** Age of what is heard, by the clock. */
  readonly behindMs: number | null;
  /** Share of the last seconds' frames that came in time. */
  readonly receivedPercent: number | null;
}

export interface CallView {
  /** 'away': the connection is lost, and the call tries to reconnect. */
  readonly state: 'idle' | 'connecting' | 'joined' | 'away' | 'ended';
  /** Reason of the end: 'left', or a code of the protocol, with a message for diagnosis. */
  readonly end: { readonly code: string; readonly message: string } | null;
  /** The own id. */
  readonly you: string;
  readonly people: readonly Person[];
  /** Number of people who only listen. */
  readonly listeners: number;
  /** The heard people, the loudest first, at most ten times a second; none in silence. */
  readonly speakers: readonly Speaker[];
  /** The last messages, the oldest first. */
  readonly chat: readonly ChatMessage[];
  /** Each second; null before the first. */
  readonly stats: CallStats | null;
}

/** The call as one observable: its value is replaced at each change. */
export interface Store<T> {
  readonly value: Readonly<T>;
  /**
   * Calls `run` now, with the same value twice, and whenever one of the properties changes.
   * @returns a function that ends the subscription
   */
  subscribe(
    names: readonly (keyof T)[],
    run: (value: Readonly<T>, before: Readonly<T>) => void,
  ): () => void;
}

/**
 * Its events are CustomEvents. `notice` has a `detail.code`: the call goes on with a fault, such as
 * 'microphone-refused'; `settled` ends it. `refused` and `moderated` have the server's messages,
 * and `caption` has the words of a speaker.
 */
export interface Call extends EventTarget {
  readonly store: Store<CallView>;
  /** Node that all sound of the call passes through, in its own AudioContext. */
  readonly output: AudioNode | null;
  mute(muted: boolean): void;
  /** Sets how near this person is to the speakers, while they only listen. */
  setNearness(nearness: Nearness): void;
  /**
   * Sends a message of the protocol, such as `{ type: 'chat', text: 'Hello' }`.
   * @returns false without a connection: the message is not sent
   */
  sendControl(message: { type: string; [field: string]: unknown }): boolean;
  /** @returns a promise of false when it can't be used: the previous one stays */
  setMicrophone(deviceId: string | null): Promise<boolean>;
  /** @returns a promise of false when it can't be used: the previous one stays */
  setSpeaker(deviceId: string): Promise<boolean>;
  /** Starts sound that the browser holds back: call it from a press. */
  resumeSound(): Promise<void>;
  /** Leaves the room. Idempotent. */
  leave(): Promise<void>;
}

/**
 * Joins a room: from then on this person hears the others, and speaks unless muted. Call it from a
 * press, because browsers start sound only then.
 * @returns a promise of the call. Rejects with an error whose `code` is one of the protocol's and
 *   whose message people can read. Rejects with a TypeError when the address is no room's
 */
export function join(options: JoinOptions): Promise<Call>;
