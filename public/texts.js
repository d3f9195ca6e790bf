import { errors } from './shared/errors.js';

/**
 * Every sentence that the page says, in one place. Where something went wrong it says what happened,
 * then what to do. The server's own sentences are in shared/errors.js.
 */

/** @type {Readonly<Record<string, string>>} what a connection is called */
export const connectionNames = Object.freeze({
  webtransport: 'WebTransport',
  websocket: 'WebSocket',
  http1: 'HTTP/1',
});

/** @type {Readonly<Record<string, string>>} by code; errors that the page itself meets */
const notices = Object.freeze({
  'no-microphone':
    'No microphone was found. Plug one in and choose it under Microphone; until then you can listen.',
  'microphone-refused':
    'The browser was not allowed to use the microphone. Allow it for this page in the browser’s address ' +
    'bar, then choose it under Microphone; until then you can listen.',
  'microphone-busy':
    'The microphone could not be opened. Close other programs that use it, or choose another one; until ' +
    'then you can listen.',
  'microphone-ended':
    'The microphone stopped sending sound. Plug it in again or choose another one; until then you can listen.',
  'microphone-replaced':
    'Your microphone is not there just now, so the default one is used until it comes again.',
  'microphone-back': 'Your microphone is in use now.',
  'microphone-muted':
    'The system has muted your microphone, so nobody hears you. Switch it on again, on the device itself or in the ' +
    'system’s settings.',
  'microphone-insecure':
    'Browsers allow a microphone only on a secure page. Open this page with https://, or on localhost; ' +
    'until then you can listen.',
  'no-shared-memory':
    'This page has no shared memory (SharedArrayBuffer), which your microphone needs. Open it in its own ' +
    'tab of a current browser, straight from the server; until then you can listen.',
  'no-audio':
    'This browser can’t play a call: it lacks AudioWorklet or WebAssembly. Use a current version of ' +
    'Chrome, Edge, Firefox or Safari.',
  'no-webtransport':
    'This browser has no WebTransport here: leave the connection on Automatic, which takes a WebSocket ' +
    'instead.',
  'connection-lost': 'The connection to the server was lost. Check your network, then join again.',
  reconnecting:
    'The connection broke off, and is being made anew. Your place is kept for half a minute: stay on this page.',
  'sound-blocked': 'The browser holds sound back until you press something. Press Turn sound on.',
  'sound-interrupted':
    'Something else has taken the sound of this device, such as a telephone call. It comes back by itself, or when you ' +
    'press Turn sound on.',
  'sound-resumed': 'The system had stopped sound for a moment. You hear the others again, and they you.',
  'speaker-replaced': 'Your speaker is not there just now, so the default one is used until it comes again.',
  'speaker-back': 'Your speaker is in use again.',
  'no-speaker':
    'That speaker could not be used, so sound stays where it was. Plug it in again, or choose another one.',
  'copy-failed': 'The browser did not let the link be copied. Copy it from the address bar.',
  'bad-request': 'The server did not understand this page. Reload it, then join again.',
  'join-timeout': 'Joining took too long. Check your network, then join again.',
  'session-lost': 'The connection broke off. Check your network, then join again.',
  'not-found': 'There is nobody in this room just now. Join it again, or check its link.',
  'recording-failed':
    'The recording could not be written, and has stopped. What was recorded before is kept; start another one, or ' +
    'ask whoever runs the server.',
  internal:
    'The server made a mistake; it is in its log. Join again in a moment, and if it stays so, tell whoever runs the server.',
  unknown: 'Something unexpected went wrong. Reload the page and join again.',
});

/**
 * @param {string} [reason] a sentence
 */
const connectionFailed = (reason) =>
  `No connection came about. ${reason ?? 'The server could not be reached.'} Check your network, or choose ` +
  'Automatic as the connection under Advanced, then join again.';

/**
 * The sentence for something that went wrong.
 * @param {string} code of the registry in shared/errors.js, or one of the page's own
 * @param {string} [message] what came with the code: taken where it is of neither, and where it is the reason
 * @returns {string}
 */
export function noticeText(code, message) {
  if (code === 'connection-failed') return connectionFailed(message);
  if (Object.hasOwn(notices, code)) return notices[code];
  if (Object.hasOwn(errors, code)) return errors[/** @type {keyof typeof errors} */ (code)].message;
  return message || notices.unknown;
}

/** What the page's markup names: static labels, headings and hints. */
export const labels = Object.freeze({
  startTitle: 'Say it',
  startTitleEnd: 'aloud.',
  startLead: 'Start a room, send the link, talk. Nothing to install, no account.',
  startRoom: 'Start a room',
  joinRoom: 'Or join a room',
  roomPlaceholder: 'its name or link',
  goToRoom: 'Go to room',
  lab: 'The lab',
  labHint: 'measures how long sound takes from here to this server and back.',

  room: 'Room',
  name: 'Name',
  join: 'Join',
  joinHint: 'Your microphone is switched on when you join, never before you ask.',
  yourSound: 'Your sound',
  soundSettings: 'Sound settings',
  advanced: 'Advanced',
  connection: 'Connection',
  connectionAuto: 'Automatic: the best that works',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport has the least delay. The others are for networks and browsers without it, and for comparison.',

  howConnected: 'How you are connected',
  triedBefore: 'What was tried before',
  peopleInRoom: 'People in the room',
  callControls: 'Call controls',
  alone: 'You are the only one here.',
  aloneHint: 'Send somebody the link, or let them scan its QR code. This page tells you when they come.',
  copyLink: 'Copy link',
  qrCode: 'QR code',
  mute: 'Mute',
  hand: 'Hand',
  chat: 'Chat',
  more: 'More',
  record: 'Record',
  soundPanel: 'Sound',
  settings: 'Settings',
  leave: 'Leave',
  close: 'Close',
  recording: 'Recording',
});

/** @type {Readonly<Record<string, { label: string, hint: string }>>} switches, by the name of the choice */
export const switchTexts = Object.freeze({
  echoCancellation: { label: 'Echo cancellation', hint: 'Keeps the others from hearing themselves. Turn it off with headphones only.' },
  noiseSuppression: { label: 'Noise suppression', hint: 'Takes out fans, keys and the street.' },
  autoGainControl: { label: 'Automatic gain', hint: 'Makes soft voices louder and loud ones softer.' },
  music: {
    label: 'Music',
    hint: 'Sends sound as it is: the three above are off, and the bit rate is higher. Rooms are mono, so stereo is too.',
  },
  highBitrate: { label: 'Higher bit rate', hint: 'Your voice goes out at 96 kb/s; what you hear is as the room has it.' },
  lowDelay: { label: 'Low-delay Opus', hint: 'About 4 ms less on your way out. Off, soft sounds come out a little finer.' },
  shortFrames: {
    label: 'Short frames',
    hint: '10 ms instead of 20, if you are the first in the room: it holds for everybody there, for less delay and more packets.',
  },
  sounds: { label: 'Sounds', hint: 'A soft sound when somebody comes or goes.' },
  shortcuts: { label: 'Keyboard shortcuts', hint: 'M mutes, H raises the hand, C opens the chat; hold Space to talk while muted.' },
});

/** What the age of the sound that one hears is made of. */
export const partTexts = Object.freeze({
  frameMs: 'A frame is filled',
  serverDelayMs: 'Server-side delay',
  wayMs: 'Way through the network',
  playoutMs: 'Playout buffer',
  outputMs: 'Waiting for the speaker',
});

export const texts = Object.freeze({
  title: 'aloud',
  you: 'you',
  muted: 'muted',
  away: 'away: connection lost, may come back',
  handRaised: 'hand raised',
  notRecorded: 'not recorded',
  mute: 'Mute',
  unmute: 'Unmute',
  talking: 'Talking',
  raiseHand: 'Raise hand',
  lowerHand: 'Lower hand',
  join: 'Join',
  joining: 'Joining…',
  copyLink: 'Copy link',
  linkCopied: 'Link copied',
  dismiss: 'Dismiss',
  close: 'Close',
  noRoomTyped: 'Type a room’s name or paste its link.',
  noNameTyped: 'Type the name that the others will see.',
  microphoneLabel: 'Microphone',
  speakerLabel: 'Speaker',
  defaultMicrophone: 'Default microphone',
  defaultSpeaker: 'Default speaker',
  noMicrophone: 'No microphone: listen only',
  speakerBySystem: 'This browser leaves the choice of the speaker to the system’s settings.',
  testMicrophone: 'Test my level',
  stopTest: 'Stop test',
  yourLevel: 'Your level',
  saySomething: 'Say something: the bar moves with your voice.',
  levelHeard: 'You can be heard.',
  levelSilent: 'Nothing is heard yet. Is this the right microphone, and is it switched on?',
  playTone: 'Play a soft test sound',
  tonePlaying: 'You should hear two soft notes now.',
  soundSum: 'Age of what you hear',
  soundSumHint:
    'The server-side delay holds the speaker’s way to the server. What sound cards add by themselves no page can know.',
  plotsLoading: 'The plots are on their way.',
  plotsFailed: 'The plots could not be loaded. Close this panel and open it again.',
  plotRoundTrip: 'Round trip',
  plotReceived: 'Received audio',
  plotServerDelay: 'Server-side delay',
  plotPlayoutDelay: 'Playout delay',
  plotLoss: 'Lost packets',
  plotRate: 'Bit rate',
  up: 'up',
  down: 'down',
  lossUp: 'Lost packets, up',
  lossDown: 'Lost packets, down',
  rateUp: 'Bit rate, up',
  rateDown: 'Bit rate, down',
  copyAsText: 'Copy as text',
  copied: 'Copied',
  operator: 'For the operator',
  operatorHint: 'Who holds the server’s operator token sets the delay for everybody in the room.',
  operatorToken: 'Operator token',
  operatorUse: 'Use',
  operatorAuto: 'Automatic delay',
  operatorDelay: 'Server-side delay of the room',
  operatorWrong: 'This is not the server’s operator token. Type it again.',
  operatorOffline: 'The server could not be reached, so nothing was changed. Check your network and try again.',
  recordingOn: 'Being recorded',
  recordButtonOn: 'Record: a recording is on',
  recordingIdle: 'Nothing is being recorded. When you start, everybody is asked, and only those who agree are in it.',
  recordingFinishing: 'The recording has stopped. Its files are being finished.',
  recordingReady: 'The recording’s files are ready.',
  startRecording: 'Start recording',
  stopRecording: 'Stop recording',
  recordMe: 'Record me',
  recordedFiles: 'Files',
  recordedMix: 'Everybody together',
  filesHint: 'Ogg Opus. The server deletes them after a while: download what you want to keep.',
  consentTitle: 'This room is being recorded',
  agree: 'Agree',
  refuseRecording: 'Don’t record me',
  reconnected: 'You are connected again.',
  chatLog: 'Messages',
  chatEmpty: 'Nothing has been written yet. Messages are seen by everybody in the room, and by those who come later.',
  chatField: 'Message to everybody',
  chatPlaceholder: 'Write to everybody',
  send: 'Send',
  showAll: 'Show all of it',
  showLess: 'Show less',
  messageCut: 'This message was longer; its end was cut off.',
  qrTitle: 'Scan to join',
  qrLabel: 'QR code of this room’s link',
  hearYourself: 'Hear yourself',
  hearStop: 'Stop hearing yourself',
  hearConnecting: 'Connecting to the server…',
  hearing: 'Speak: the server sends your voice back after two seconds, as the others would hear it.',
  youJoined: 'You are in the call.',
  youLeft: 'You left the call.',
  youMuted: 'You are muted.',
  youUnmuted: 'You are no longer muted.',
  more: (/** @type {string} */ name) => `Options for ${name}`,
  volumeOf: (/** @type {string} */ name) => `Volume of ${name}`,
  muteForMe: 'Mute for me',
  mutedForYou: 'muted for you',
  quality: Object.freeze(['', 'connection bad', 'connection fair', 'connection good']),

  nameCut: (/** @type {string} */ name) => `The name is too long. The others see “${name}”.`,
  chatFrom: (/** @type {string} */ name, /** @type {string} */ text) => `${name} wrote: ${text}`,
  charactersLeft: (/** @type {number} */ count) => `${count} more characters fit.`,
  tooLong: (/** @type {number} */ count) =>
    `This is ${count} ${count === 1 ? 'character' : 'characters'} too long. Shorten it, or send it in two messages.`,
  chatUnread: (/** @type {number} */ count) => `Chat, ${count} unread`,
  recordingSince: (/** @type {string} */ name, /** @type {string} */ time) => `${name} has been recording since ${time}.`,
  recordingBegan: (/** @type {string} */ name) => `${name} started recording.`,
  recordingEnded: (/** @type {string} */ name) => `${name} stopped the recording.`,
  recordedPeople: (/** @type {string[]} */ names) =>
    names.length === 0 ? 'Nobody is being recorded.' : `Being recorded: ${names.join(', ')}.`,
  consentText: (/** @type {string} */ name) =>
    `${name} has started a recording. Your voice is kept only if you agree; you can change your mind under Record at any time.`,
  fileSize: (/** @type {number} */ seconds, /** @type {number} */ bytes) =>
    `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} min, ${bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`}`,
  soundAge: (/** @type {string} */ age) => `What you hear is ${age} old`,
  plotLabel: (/** @type {string} */ title, /** @type {string} */ value) => `${title}, the last two minutes. Now ${value}.`,
  reportTitle: (/** @type {string} */ room, /** @type {string} */ at) => `aloud, room ${room}, ${at}`,
  people: (/** @type {number} */ count) => (count === 1 ? '1 person' : `${count} people`),
  soundOn: 'Turn sound on',
  joined: (/** @type {string} */ name) => `${name} joined.`,
  left: (/** @type {string} */ name) => `${name} left.`,
  nowMuted: (/** @type {string} */ name) => `${name} is muted.`,
  nowUnmuted: (/** @type {string} */ name) => `${name} is no longer muted.`,
  nowAway: (/** @type {string} */ name) => `${name} lost the connection.`,
  nowBack: (/** @type {string} */ name) => `${name} is back.`,
  raisedHand: (/** @type {string} */ name) => `${name} raised a hand.`,
  loweredHand: (/** @type {string} */ name) => `${name} lowered the hand.`,
  roomTitle: (/** @type {string} */ room) => `${room} · aloud`,
  microphone: (/** @type {number} */ number) => `Microphone ${number}`,
  speaker: (/** @type {number} */ number) => `Speaker ${number}`,
  connectedOver: (/** @type {string} */ connection) => `Connected over ${connectionNames[connection] ?? connection}`,
  notTaken: (/** @type {string} */ connection, /** @type {string} */ reason) =>
    `Tried ${connectionNames[connection]} first. ${reason}`,

  roundTrip: (/** @type {number} */ ms) => `Round trip ${Math.round(ms)} ms`,
  received: (/** @type {number} */ percent) => `Received ${percent.toFixed(percent >= 99.95 ? 0 : 1)} %`,
  delay: (/** @type {number} */ ms) => `Delay ${Math.round(ms)} ms`,
});
