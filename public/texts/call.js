import { formsOf, translated, translationOf } from './language.js';
import { connectionNames, sizeText, timeText } from './units.js';

const own = await translationOf('call');
const { number } = formsOf('en-GB');

/** A call: the people, their state, the connection, the link. */
export const callTexts = translated(own.callTexts, {
  you: 'you',
  muted: 'muted',
  away: 'away: connection lost, may come back',
  handRaised: 'hand raised',
  notRecorded: 'not recorded',
  sharedBy: (/** @type {string} */ name) => `shared by ${name}`,
  shareCame: (/** @type {string} */ name) => `${name} shares a sound.`,
  shareWent: (/** @type {string} */ name) => `${name} no longer shares a sound.`,
  waited: (/** @type {number} */ ms) =>
    `arrives ${Math.round(ms)} ms late: everybody’s sound waits`,
  later: (/** @type {number} */ ms) => `heard ${Math.round(ms)} ms later than others`,
  youLater: (/** @type {number} */ ms) => `others hear you ${Math.round(ms)} ms later`,
  heardAfter: (/** @type {number} */ ms) => `Heard ${Math.round(ms)} ms after it was said`,
  waitedFor: (/** @type {string[]} */ names) =>
    `The delay is longer than most need, because the sound of ${names.join(', ')} arrives late.`,
  mute: 'Mute',
  unmute: 'Unmute',
  talking: 'Talking',
  raiseHand: 'Raise hand',
  lowerHand: 'Lower hand',
  linkCopied: 'Link copied',
  dismiss: 'Dismiss',
  tryNow: 'Try now',
  trying: 'Trying now…',
  tryingIn: (/** @type {number} */ seconds) => `Trying again in ${seconds} s.`,
  close: 'Close',
  reconnected: 'You are connected again.',
  offline: 'Connection lost',
  titleOffline: 'connection lost',
  useIt: 'Use it',
  deviceNew: (/** @type {string} */ device) =>
    `${device} is connected. Use it, or continue as before.`,
  otherTab: {
    title: 'You are in this room already',
    text:
      'Another tab or window of this browser is in the call, and two of them would hear each ' +
      'other. Move the call here, and the other one leaves.',
    yes: 'Move it here',
    no: 'Cancel',
  },
  keysTitle: 'Keys in a call',
  keysHint: 'They are off while you type, and can be switched off under Settings.',
  showKeys: 'Show all keys',
  keys: [
    ['M', 'mute or unmute yourself'],
    ['Space, held', 'be heard while you are muted'],
    ['H', 'raise your hand, or lower it'],
    ['C', 'open the chat, or close it'],
    ['?', 'show these keys'],
    ['Esc', 'close what is open'],
  ],
  qrTitle: 'Scan to join',
  qrLabel: 'QR code of this room’s link',
  youJoined: 'You are in the call.',
  youLeft: 'You left the call.',
  howBack: 'You left the call. You can join again at any time with the same link.',
  youMuted: 'You are muted.',
  youUnmuted: 'You are no longer muted.',
  more: (/** @type {string} */ name) => `Options for ${name}`,
  sideLeft: 'L',
  sideRight: 'R',
  placeOf: (/** @type {string} */ name) => `Place of ${name}, from left to right`,
  place: (/** @type {number} */ percent) =>
    percent === 0
      ? 'in the middle'
      : `${Math.abs(percent)} % to the ${percent < 0 ? 'left' : 'right'}`,
  volumeOf: (/** @type {string} */ name) => `Volume of ${name}`,
  muteForMe: 'Mute for me',
  mutedForYou: 'muted for you',
  quality: ['', 'connection bad', 'connection fair', 'connection good'],
  people: (/** @type {number} */ count) => (count === 1 ? '1 person' : `${count} people`),
  listenersToo: (/** @type {number} */ count) =>
    count === 1 ? '1 listener' : `${number(count)} listeners`,
  speaking: (/** @type {string[]} */ names) =>
    names.length === 0 ? 'Nobody is speaking' : `Speaking: ${names.join(', ')}`,
  manyCame: (/** @type {number} */ count) => `${count} people joined.`,
  manyLeft: (/** @type {number} */ count) => `${count} people left.`,
  soundOn: 'Turn sound on',
  listenFirst: 'Listen for now',
  joined: (/** @type {string} */ name) => `${name} joined.`,
  left: (/** @type {string} */ name) => `${name} left.`,
  nowMuted: (/** @type {string} */ name) => `${name} is muted.`,
  nowUnmuted: (/** @type {string} */ name) => `${name} is no longer muted.`,
  nowAway: (/** @type {string} */ name) => `${name} lost the connection.`,
  nowBack: (/** @type {string} */ name) => `${name} is back.`,
  raisedHand: (/** @type {string} */ name) => `${name} raised their hand.`,
  loweredHand: (/** @type {string} */ name) => `${name} lowered their hand.`,
  connectedOver: (/** @type {string} */ connection) =>
    `Connected over ${connectionNames[connection] ?? connection}`,
  notTaken: (/** @type {string} */ connection, /** @type {string} */ reason) =>
    `Tried ${connectionNames[connection]} first. ${reason}`,
  roundTrip: (/** @type {number} */ ms) => `Round trip ${Math.round(ms)} ms`,
  received: (/** @type {number} */ percent) =>
    `Received ${percent.toFixed(percent >= 99.95 ? 0 : 1)} %`,
  delay: (/** @type {number} */ ms) => `Delay ${Math.round(ms)} ms`,
});

/** The chat. */
export const chatTexts = translated(own.chatTexts, {
  chatLog: 'Messages',
  chatEmpty:
    'Nothing has been written yet. Everybody in the room sees messages, and so do people who ' +
    'join later.',
  chatField: 'Message to everybody',
  chatPlaceholder: 'Write to everybody',
  send: 'Send',
  showAll: 'Show all of it',
  showLess: 'Show less',
  messageCut: 'This message was longer; its end was cut off.',
  chatFrom: (/** @type {string} */ name, /** @type {string} */ text) => `${name} wrote: ${text}`,
  charactersLeft: (/** @type {number} */ count) =>
    count === 1 ? '1 more character fits.' : `${count} more characters fit.`,
  tooLong: (/** @type {number} */ count) =>
    `This is ${count} ${count === 1 ? 'character' : 'characters'} too long. Shorten it, or ` +
    'send it in two messages.',
  chatUnread: (/** @type {number} */ count) => `${count} unread`,
});

/** The recording. */
export const recordingTexts = translated(own.recordingTexts, {
  recordingOn: 'Being recorded',
  recordButtonOn: 'Record: a recording is on',
  recordingIdle:
    'Nothing is being recorded. When you start, everybody is asked, and only people who agree ' +
    'are recorded.',
  recordingFinishing: 'The recording has stopped. Its files are being finished.',
  recordingReady: 'The recording’s files are ready.',
  startRecording: 'Start recording',
  stopRecording: 'Stop recording',
  recordMe: 'Record me',
  recordPublic: 'Anybody may hear it',
  recordingPage: 'The recording’s page',
  recordedFiles: 'Files',
  recordedMix: 'Everybody together',
  filesHint: 'Ogg Opus. The server deletes them after a while: download what you want to keep.',
  consent: (/** @type {string} */ name) => ({
    title: 'This room is being recorded',
    text:
      `${name} has started a recording. Your voice is kept only if you agree; you can change ` +
      'your mind under Record at any time.',
    yes: 'Agree',
    no: 'Don’t record me',
  }),
  recordingSince: (/** @type {string} */ name, /** @type {string} */ time) =>
    `${name} has been recording since ${time}.`,
  recordingBegan: (/** @type {string} */ name) => `${name} started recording.`,
  recordingEnded: (/** @type {string} */ name) => `${name} stopped the recording.`,
  recordedPeople: (/** @type {string[]} */ names) =>
    names.length === 0 ? 'Nobody is being recorded.' : `Being recorded: ${names.join(', ')}.`,
  fileSize: (
    /** @type {string} */ since,
    /** @type {number} */ seconds,
    /** @type {number} */ bytes,
  ) => `${since}, ${timeText(seconds)}, ${sizeText(bytes)}`,
});
