/** The parts of the age of the sound that is heard. */
export const partTexts = Object.freeze({
  frameMs: 'A frame is filled',
  serverDelayMs: 'Server-side delay',
  wayMs: 'Way through the network',
  playoutMs: 'Playout buffer',
  outputMs: 'Waiting for the speaker',
});

/** The figures of a call. */
export const figureTexts = Object.freeze({
  received: 'Received audio, in all',
  received10s: 'Received audio, of 10 s',
  lost: 'Lost packets',
  late: 'Late packets',
  early: 'Packets too early',
  duplicate: 'Duplicate packets',
  concealed: 'Frames made up',
  recovered: 'Frames from redundancy',
  gaps: 'Gaps at the speaker',
  jitter: 'Jitter; what it needs',
  drift: 'Sound card’s drift',
});

/** The panel Sound, with the operator's part. */
export const soundTexts = Object.freeze({
  soundSum: 'Age of what you hear',
  soundSumHint:
    'The server-side delay holds the speaker’s way to the server. What sound cards add by themselves no page can know.',
  panelLoading: 'This panel is on its way.',
  plotsLoading: 'The plots are on their way.',
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
  lateness: 'How late your sound came to the server, of the last 20 s',
  latenessUpTo: (/** @type {number} */ ms) => `up to ${ms} ms`,
  latenessOver: 'more',
  copyAsText: 'Copy as text',
  copied: 'Copied',
  soundAge: (/** @type {string} */ age) => `What you hear is ${age} old`,
  plotLabel: (/** @type {string} */ title, /** @type {string} */ value) => `${title}, the last two minutes. Now ${value}.`,
  reportTitle: (/** @type {string} */ room, /** @type {string} */ at) => `aloud, room ${room}, ${at}`,
  operator: 'For the operator',
  operatorHint: 'Who holds the server’s operator token sets the delay for everybody in the room.',
  operatorToken: 'Operator token',
  operatorUse: 'Use',
  operatorAuto: 'Automatic delay',
  operatorDelay: 'Server-side delay of the room',
});
