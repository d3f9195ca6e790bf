import { translated, translationOf } from './language.js';

const own = await translationOf('labels');

/** Labels, headings and hints that the markup names by key. */
export const labels = translated(own.labels, {
  startTitle: 'Say it',
  startTitleEnd: 'aloud.',
  startLead: 'Start a room, send the link, talk. Nothing to install, no account.',
  startRoom: 'Start a room',
  startEncrypted: 'Start an encrypted room',
  startEncryptedHint:
    'End to end: only people with the whole link can hear it; the server can’t. ' +
    'Nothing can be recorded.',
  joinRoom: 'Or join a room',
  roomPlaceholder: 'its name or link',
  goToRoom: 'Go to room',
  lab: 'The lab',
  labHint: 'measures how long sound takes from here to this server and back.',

  room: 'Room',
  name: 'Name',
  join: 'Join',
  cancelJoin: 'Cancel',
  roomPassword: 'Password of the room',
  knocks: 'People who want to come in',
  hands: 'Listeners who have raised their hand',
  joinHint: 'Your microphone is switched on when you join, never before you ask.',
  yourSound: 'Your sound',
  soundSettings: 'Sound settings',
  advanced: 'Advanced',
  frameLength: 'Length of a frame',
  frameAuto: 'Automatic: as the server has it',
  frame20: '20 ms: the fewest packets',
  frame10: '10 ms: less delay',
  frame5: '5 ms: for playing together',
  frame2: '2.5 ms: the least delay, by cable only',
  frameHint:
    'Your choice counts if you are the first in the room, and is used for everybody there. ' +
    'Shorter frames are heard sooner, but need more bandwidth and processing.',
  connection: 'Connection',
  connectionAuto: 'Automatic: the best that works',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport has the least delay. The others are for networks and browsers without it, ' +
    'and for comparison.',

  language: 'Language',
  languageAuto: 'Automatic: as the browser has it',
  languageLater: 'The page uses it from the next time you open it.',

  howConnected: 'How you are connected',
  triedBefore: 'What was tried before',
  peopleInRoom: 'People in the room',
  callControls: 'Call controls',
  alone: 'You are the only one here.',
  aloneHint:
    'Send somebody the link, or let them scan its QR code. This page tells you when ' +
    'somebody joins.',
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

/**
 * The switches, by the choice's name.
 * @type {Readonly<Record<string, { label: string, hint: string }>>}
 */
export const switchTexts = translated(own.switchTexts, {
  echoCancellation: {
    label: 'Echo cancellation',
    hint: 'Keeps the others from hearing themselves. Turn it off with headphones only.',
  },
  noiseSuppression: { label: 'Noise suppression', hint: 'Takes out fans, keys and the street.' },
  noiseModel: {
    label: 'Stronger noise suppression',
    hint:
      'Takes out more of them, in place of the browser’s. You are heard 10 ms later. ' +
      'It is loaded when you turn it on.',
  },
  autoGainControl: {
    label: 'Automatic gain',
    hint: 'Makes soft voices louder and loud ones softer.',
  },
  music: {
    label: 'Music',
    hint: 'Sends sound as it is: the four above are off, and the bit rate is higher.',
  },
  stereo: {
    label: 'Stereo',
    hint:
      'Keeps left and right apart, if you are the first in the room: it holds for everybody ' +
      'there. Chrome and Edge take your ' +
      'microphone in stereo only with Music; some computers have its sound some 20 ms later ' +
      'then, as the panel Sound shows.',
  },
  highBitrate: {
    label: 'Higher bit rate',
    hint: 'Your voice is sent at 96 kb/s, 192 in stereo. What you hear has the room’s bit rate.',
  },
  lossless: {
    label: 'Lossless, on a fast network',
    hint:
      'Between people who switch it on, sound is sent without compression, in rooms with ' +
      'frames of 2.5 or 5 ms. It needs 0.9 Mb/s each way, twice that in stereo, and saves the ' +
      'codec’s delay.',
  },
  lowDelay: {
    label: 'Low-delay Opus',
    hint: 'About 4 ms less delay for others. When it is off, soft sounds are a little finer.',
  },
  sounds: { label: 'Sounds', hint: 'A soft sound when somebody comes or goes.' },
  captions: { label: 'Captions', hint: 'Shows what people say as text.' },
  shortcuts: {
    label: 'Keyboard shortcuts',
    hint:
      'M mutes, H raises the hand, C opens the chat, ? shows all; hold Space to talk ' +
      'while muted.',
  },
});

/** The first page and the green room: names, devices, tests of the sound. */
export const greenRoomTexts = translated(own.greenRoomTexts, {
  noRoomTyped: 'Type a room’s name or paste its link.',
  noNameTyped: 'Type the name that the others will see.',
  nameCut: (/** @type {string} */ name) => `The name is too long. The others see “${name}”.`,
  nameInvited: 'Your invitation gives this name.',
  join: 'Join',
  joining: 'Joining…',
  listen: 'Listen',
  listenerName: 'Listener',
  listenHint:
    'You hear the room, and nobody hears you: no microphone is asked for. You can raise your ' +
    'hand to be let speak.',
  yourOutput: 'Where you hear it',
  microphoneLabel: 'Microphone',
  speakerLabel: 'Speaker',
  defaultMicrophone: 'Default microphone',
  defaultSpeaker: 'Default speaker',
  noMicrophone: 'No microphone: listen only',
  microphone: (/** @type {number} */ number) => `Microphone ${number}`,
  speaker: (/** @type {number} */ number) => `Speaker ${number}`,
  speakerBySystem: 'This browser leaves the choice of the speaker to the system’s settings.',
  testMicrophone: 'Test my level',
  stopTest: 'Stop test',
  yourLevel: 'Your level',
  saySomething: 'Say something: the bar moves with your voice.',
  levelHeard: 'You can be heard.',
  levelSilent: 'Nothing is heard yet. Is this the right microphone, and is it switched on?',
  playTone: 'Play a soft test sound',
  tonePlaying:
    'You should hear two soft notes. If not, choose another speaker, or turn up the volume of ' +
    'this device.',
  hearYourself: 'Hear yourself',
  hearStop: 'Stop hearing yourself',
  hearConnecting: 'Connecting to the server…',
  hearing:
    'Speak: the server sends your voice back after two seconds, as the others would hear it.',
});

/** The element that joins a room from another site's page. */
export const elementTexts = translated(own.elementTexts, {
  call: (/** @type {string} */ room) => `Call ${room}`,
  name: 'Your name',
  join: 'Join',
  listen: 'Listen',
  joining: 'Joining…',
  waiting: 'Waiting until a moderator lets you in…',
  away: 'Connection lost. Trying again…',
  left: 'You have left the call.',
  alone: 'You are the only one here.',
  people: 'People in the room',
  mute: 'Mute',
  leave: 'Leave',
});
