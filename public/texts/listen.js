import { formsOf, translated, translationOf } from './language.js';
import { connectionNames } from './units.js';

const own = await translationOf('listen');
const { list, number } = formsOf('en-GB');

/** The page of people who only listen. */
export const listenTexts = translated(own.listenTexts, {
  tabTitle: (/** @type {string} */ room) => `${room} · aloud`,
  listen: 'Listen',
  pause: 'Pause',
  starting: 'Starting…',
  cancel: 'Cancel',
  listeners: (/** @type {number} */ count) =>
    count === 1 ? '1 listener' : `${number(count)} listeners`,
  speaking: (/** @type {string[]} */ names) =>
    names.length === 0
      ? 'Nobody is speaking.'
      : `${list(names)} ${names.length === 1 ? 'speaks' : 'speak'}.`,
  otherSound: 'Music, or another sound without a voice.',
  onStage: (/** @type {string[]} */ names) =>
    names.length === 0
      ? 'Nobody is speaking yet. You will hear the first who does.'
      : `On stage: ${list(names)}`,
  artist: (/** @type {boolean} */ isLive, /** @type {string[]} */ names) =>
    [...(isLive ? ['LIVE'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(' · '),
  name: 'Your name',
  nameHint: 'Shown to the moderators when you raise your hand. You may leave it empty.',
  nameInvited: 'Your invitation gives this name. The moderators see it when you raise your hand.',
  listenerName: 'Listener',
  password: 'Password of the room',
  volume: 'Volume',
  near: 'Delay',
  nearness: { conversation: 'Live', near: 'A little later', steady: 'Steady' },
  nearnessHints: {
    conversation: 'As soon as possible: for people who may answer.',
    near: 'A quarter of a second behind, with fewer gaps.',
    steady: 'Two seconds behind, and complete on a bad network too.',
  },
  hand: 'Raise hand',
  handUp: 'Lower hand',
  details: 'Connection',
  quality: (
    /** @type {number} */ kbps,
    /** @type {string} */ transport,
    /** @type {number | null} */ delayMs,
  ) => {
    const delay = delayMs === null ? '' : `, heard ${(delayMs / 1000).toFixed(1)} s later`;
    return `${Math.round(kbps)} kb/s over ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'Open the full page with chat',
  openRoom: 'Open the room',

  notOpen: 'This room isn’t open yet. Press Listen, and you hear it as soon as somebody speaks.',
  ready: 'Press Listen. No microphone is needed.',
  playing: 'You are listening.',
  paused: 'Paused. Nothing is downloaded now.',
  resumed: 'You are listening again.',
  reconnecting: 'The connection was interrupted. Stay on this page: it is reconnecting.',
  reconnectingLong:
    'There has been no connection for a while. Check this device’s network: sound comes back as ' +
    'soon as there is one.',
  waiting:
    'The moderators know that you are here. You hear the room as soon as one of them lets you in.',
  pressForSound: 'The browser holds sound back. Press anywhere on this page.',
  interrupted:
    'Something else has taken the sound of this device. It comes back on its own, or when you ' +
    'press anywhere.',
  handRaised: 'Your hand is up. The moderators see it.',
  handLowered: 'Your hand is down.',
  handTaken: 'A moderator has lowered your hand.',
  fromBeginning: 'This is being recorded. Listen from the beginning',
  broadcastOver: 'The broadcast has ended. You still hear the room.',
  joinCall: 'Join the call',
  ontoStage: 'You may speak now. The page of the call is loading…',
  stageFailed:
    'You may speak now, but the page of the call could not be loaded. Check your network, then ' +
    'press Go on stage.',
  goOnStage: 'Go on stage',
  stageElsewhere: 'You may speak now, on the page of the room.',
  draining: 'The server is about to be restarted. Sound comes back on its own.',
  loadFailed:
    'A part of this page could not be loaded. Check your network, then press Listen again.',
  failed: 'Something went wrong. Check your network, then press Listen again.',
});
