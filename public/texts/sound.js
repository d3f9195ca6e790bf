import { timeText } from './units.js';
import { translated, translationOf } from './language.js';

const own = await translationOf('sound');

/** The parts of the age of the sound that is heard. */
export const partTexts = translated(own.partTexts, {
  microphoneMs: 'Microphones of the others',
  frameMs: 'A frame is filled',
  codecMs: 'The codec looks ahead',
  serverDelayMs: 'Server-side delay',
  laterMs: 'Late people are heard later by',
  wayMs: 'Way through the network',
  playoutMs: 'Playout buffer',
  outputMs: 'Waiting for the sound card',
  speakerMs: 'Sound card and speaker',
});

/** Advice for shortening each part of the delay. @type {Readonly<Record<string, string>>} */
export const savingTexts = translated(own.savingTexts, {
  frameMs: 'Begin the room with frames of 2.5 ms',
  serverDelayMs: 'Ask the people whose sound comes late to use a cable instead of Wi-Fi',
  playoutMs: 'Use a cable, not Wi-Fi, and close what keeps this computer busy',
  outputMs: 'Use a sound card that takes sound in smaller pieces, and no Bluetooth',
  speakerMs: 'Use speakers or headphones on a cable, not Bluetooth',
});

/** The figures of a call. */
export const figureTexts = translated(own.figureTexts, {
  received: 'Received audio, in all',
  received10s: 'Received audio, last 10 s',
  lost: 'Lost packets',
  late: 'Late packets',
  early: 'Packets too early',
  duplicate: 'Duplicate packets',
  concealed: 'Frames concealed',
  recovered: 'Frames from redundancy',
  gaps: 'Gaps at the speaker',
  jitter: 'Jitter; what it needs',
  drift: 'Sound card’s drift',
});

/** The panel Sound, with the operator's part. */
export const soundTexts = translated(own.soundTexts, {
  soundSum: 'Age of what you hear',
  soundSumHint: 'The server-side delay includes the speaker’s way to the server.',
  soundSumDevices: 'What the others’ microphones add is not in it.',
  soundSumNoDevices: 'This is without sound cards: your browser doesn’t tell what yours adds.',
  ownMicrophone: (/** @type {string} */ ms) =>
    `Your own microphone adds ${ms} to what others hear of you.`,
  ownSuppression: (/** @type {string} */ ms) =>
    `${ms} of your sound’s delay comes from noise suppression.`,
  savings: 'What would shorten it',
  saves: (/** @type {string} */ part, /** @type {number} */ ms) =>
    `${savingTexts[part]}: up to ${ms} ms.`,
  savesNothing: 'Nothing that would help much: the delay is about as short as it can be here.',
  metronome: 'Metronome',
  metronomeBpm: 'Beats a minute',
  metronomeBeats: 'Beats of a bar',
  metronomeStart: 'Start for everybody',
  metronomeStop: 'Stop for everybody',
  metronomeTap: 'Tap the tempo',
  metronomeHeard: 'I hear it',
  metronomeOff: 'It is off.',
  metronomeBy: (/** @type {string} */ name, /** @type {number} */ bpm) =>
    `${name} has set it: ${bpm} beats a minute.`,
  metronomeBegan: (/** @type {string} */ name, /** @type {number} */ bpm) =>
    `${name} started the metronome: ${bpm} beats a minute.`,
  metronomeEnded: (/** @type {string} */ name) => `${name} stopped the metronome.`,
  metronomeHint:
    'Everybody hears each beat at the same moment, whatever their delay. If you play on the ' +
    'beat, everybody else hears you on it. To set the tempo, press Tap ' +
    'the tempo on each beat. Use headphones, or the microphone picks it up.',
  track: 'Backing track',
  trackNone: 'There is none.',
  trackBy: (
    /** @type {string} */ name,
    /** @type {string} */ track,
    /** @type {number} */ seconds,
  ) => `“${track}”, ${timeText(seconds)}, from ${name}.`,
  trackChoose: 'Choose a file',
  trackOther: 'Choose another file',
  trackSending: 'The file is being read and sent.',
  trackPlay: 'Play for everybody',
  trackAgain: 'From the beginning',
  trackStop: 'Stop for everybody',
  trackRemove: 'Take it out',
  trackLevel: 'How loud I hear it',
  trackCame: (/** @type {string} */ name, /** @type {string} */ track) =>
    `${name} added the backing track “${track}”.`,
  trackBegan: (/** @type {string} */ name) => `${name} plays the backing track.`,
  trackStopped: (/** @type {string} */ name) => `${name} stopped the backing track.`,
  trackOver: 'The backing track has ended.',
  trackRemoved: (/** @type {string} */ name) => `${name} removed the backing track.`,
  trackHint:
    'Everybody hears it at the same moment, as with the metronome, and can play to it. While the ' +
    'metronome is on, it begins with a bar, after one bar of beats. It is in no ' +
    'recording. Use headphones, or the microphone picks it up.',
  share: 'Share a sound',
  shareNone: 'You share none.',
  shareTab: 'Share a tab’s sound',
  shareFile: 'Share a file’s sound',
  shareStop: 'Stop sharing',
  shareReading: 'The file is being read.',
  shareBegins: 'It begins…',
  shareOn: (/** @type {string} */ name) => `Everybody hears “${name}” beside your voice.`,
  shareOver: 'It is over: nobody hears it any more.',
  shareOfTab: 'Sound of a tab',
  shareOfFile: 'Sound of a file',
  shareHint:
    'It goes out beside your voice, unprocessed. Everybody sees it beside you, and sets its ' +
    'volume. Tick “Also share tab audio” when the browser asks. A tab goes on playing here; use ' +
    'headphones, or the microphone takes it in.',
  shareFileHint:
    'It goes out beside your voice, unprocessed. Everybody sees it beside you, and sets its ' +
    'volume. This browser can’t share a tab’s sound; Chrome and Edge on a computer can.',
  own: 'Record on this device',
  ownNone: 'Nothing is being recorded on this device.',
  ownStart: 'Record my microphone',
  ownStop: 'Stop and keep',
  ownOn: 'Your microphone is being recorded on this device.',
  ownKept: 'The file is kept in this browser. Download it to use it elsewhere.',
  ownFiles: 'Recordings on this device',
  ownDownload: 'Download',
  ownGive: 'Add to the room’s recording',
  ownDelete: 'Delete',
  ownSending: (/** @type {number} */ percent) => `Sending: ${percent} %`,
  ownSent: 'The file is with the room’s recording now.',
  ownHint:
    'A 24-bit WAV file of your microphone, before it is compressed. It goes on while the ' +
    'connection is lost, and has silence while you are muted. Each file knows its place on the ' +
    'room’s clock, so editors can line up the files of all devices.',
  ownUnsupported: 'This browser can’t keep such a file. Use a current browser, over HTTPS.',
  panelLoading: 'Loading…',
  plotsLoading: 'Loading…',
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
  figures: 'Since joining',
  lateness: 'How late your sound reached the server in the last 20 s',
  latenessUpTo: (/** @type {number} */ ms) => `up to ${ms} ms`,
  latenessOver: 'more',
  copyAsText: 'Copy as text',
  copied: 'Copied',
  saveAsCsv: 'Save statistics as CSV',
  saveAsJson: 'Save statistics as JSON',
  soundAge: (/** @type {string} */ age) => `What you hear is ${age} old`,
  plotLabel: (/** @type {string} */ title, /** @type {string} */ value) =>
    `${title}, the last two minutes. Now ${value}.`,
  reportTitle: (/** @type {string} */ room, /** @type {string} */ at) =>
    `aloud, room ${room}, ${at}`,
  operator: 'For the operator',
  operatorHint: 'With the server’s operator token you set the delay for everybody in the room.',
  operatorToken: 'Operator token',
  operatorUse: 'Use',
  operatorAuto: 'Automatic delay',
  operatorDelay: 'Server-side delay of the room',
});
