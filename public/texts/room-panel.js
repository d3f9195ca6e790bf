import { formsOf, translated, translationOf } from './language.js';

const own = await translationOf('room-panel');
const { number } = formsOf('en-GB');

/**
 * The panel Room and what can be done with somebody, for moderators: loaded when one of them is
 * opened.
 */
export const panelTexts = translated(own.panelTexts, {
  moderatePerson: (/** @type {string} */ name) => `Moderate ${name}`,
  muteForAll: 'Mute for everybody',
  muteForAllHint: 'They can’t unmute themselves until you allow it.',
  allowToSpeak: 'Allow to speak',
  allowToSpeakHint: 'They stay muted until they unmute themselves.',
  role: 'Role',
  roleNames: { moderator: 'Moderator', speaker: 'Speaker', listener: 'Listener' },
  changeRole: 'Change role',
  roleHint:
    'A moderator may do everything that you may. A listener hears, writes and raises a hand, and ' +
    'isn’t ' +
    'heard.',
  remove: 'Remove from the room',
  removeHint: 'They may join again.',
  banFor: 'Keep out for',
  banTimes: /** @type {[number, string][]} */ ([
    [3600, 'One hour'],
    [86_400, 'One day'],
    [7 * 86_400, 'One week'],
    [30 * 86_400, 'Thirty days'],
  ]),
  removeAndBan: 'Remove and ban',
  banHint:
    'By their invitation; without one by their network, which may be that of a whole household ' +
    'or company.',
  listeners: 'Find a listener',
  listenersShown: (/** @type {number} */ shown, /** @type {number} */ count) =>
    count === 0
      ? 'There are no listeners.'
      : shown === 0
        ? count === 1
          ? 'The one listener has another name.'
          : `None of ${number(count)} listeners has a name like that.`
        : `${shown} of ${number(count)} ${count === 1 ? 'listener' : 'listeners'}`,
  moreListeners: 'Next',
  firstListeners: 'From the beginning',
  copyListenLink: 'Copy the link for listeners',
  removeListener: 'Remove',
  removeName: (/** @type {string} */ name) => `Remove ${name}`,
  lock: 'Lock the room',
  lockHint: 'Nobody else can join. People who lose their connection can come back.',
  lobby: 'Lobby',
  lobbyHint:
    'People who join wait until you let them in. When you switch it off, everybody who is ' +
    'waiting comes in.',
  chatPermission: 'Who may write',
  recordPermission: 'Who may record',
  allowed: { everybody: 'Everybody', moderators: 'Moderators' },
  mode: 'How sound gets to everybody',
  modes: {
    mix: 'Mixed by the server',
    forward: 'Passed on, mixed by each page',
    auto: 'Passed on in small rooms, else mixed',
  },
  modeHint:
    'Passed on, sound stays as it was sent, but each page needs more bandwidth and processing.',
  modeE2e:
    'This room is encrypted end to end: its sound is passed on, and nothing can be mixed or ' +
    'recorded by the server.',
  password: 'Password',
  passwordSet: 'The room has a password. Type another one to change it.',
  passwordNone: 'The room has no password. People already here stay when you set one.',
  setPassword: 'Set password',
  dropPassword: 'Remove password',
  bans: 'Kept out',
  ban: (
    /** @type {{ name: string, by: string, identity: string | null, network: string | null }} */ {
      name,
      by,
      identity,
      network,
    },
    /** @type {string} */ end,
  ) => {
    const cause = by === 'identity' ? `invitation ${identity}` : `network ${network}`;
    return `${name}, by the ${cause}, until ${end}`;
  },
  unban: 'Allow again',
  unbanName: (/** @type {string} */ name) => `Allow again: ${name}`,
  stepDown: 'Stop being a moderator',
  lastModerator:
    'You are the only moderator. To hand that on, make somebody a moderator under the options of ' +
    'their name.',
  endForAll: 'End the call for everybody',
  endQuestion: {
    title: 'End the call for everybody?',
    text: 'Everybody leaves, and so do you. What you have set for the room is forgotten.',
    yes: 'End it',
    no: 'Go on',
  },

  goLive: 'Go live',
  endBroadcast: 'End the broadcast',
  offHint:
    'The room becomes a broadcast: people already here stay on stage, and new people with the ' +
    'room’s link only listen.',
  onHint:
    'The room is a broadcast. New people with the room’s link only listen. When you end it, new ' +
    'people may speak again, and listeners stay listeners until they join again.',
  makeStreamKey: 'Let a program send sound',
  newStreamKey: 'Make a new key',
  revokeStreamKey: 'Revoke the key',
  streamOffHint:
    'Mixxx, butt, Liquidsoap, ffmpeg and others that send to an Icecast server can send to this ' +
    'room. A key lets one of them onto the stage.',
  streamOnHint:
    'In the program choose Icecast, Opus, this address, the user “source”, and the key as its ' +
    'password. A new key, or none, ends what is being sent.',
  streamAddress: 'Address for the program',
  copyStreamAddress: 'Copy the address',
  streamAddressCopied: 'Address copied.',
  copyStreamKey: 'Copy the key',
  streamKeyCopied: 'Key copied. Everybody who has it can send sound to this room.',
  copyStageLink: 'Copy the link to the stage',
  stageLinkHint: 'Everybody with this link may speak. The next broadcast gets a new link.',
});
