/** Changing sentences of the operator's page; index.html has the fixed ones. */

import { errors } from '../shared/errors.js';

/** @param {number} count @param {string} one @param {string} [many] */
const counted = (count, one, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** @param {number | null | undefined} ms */
export const milliseconds = (ms) =>
  typeof ms !== 'number'
    ? '–'
    : ms < 9.95
      ? `${ms.toFixed(1)} ms`
      : `${Math.round(ms).toLocaleString('en')} ms`;

/** @param {number | null | undefined} percent */
export const percentage = (percent) =>
  typeof percent !== 'number'
    ? '–'
    : `${percent.toFixed(percent < 9.95 && percent !== 0 ? 1 : 0)} %`;

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 && bytes > 0 ? 1 : 0)} MB`;

/** Kinds of refusals. @type {Readonly<Record<string, string>>} */
const refusedThings = Object.freeze({
  join: 'Join',
  command: 'In a room',
  http: 'HTTP',
  upgrade: 'Connection',
});

/** The states of the server. @type {Readonly<Record<string, string>>} */
const states = Object.freeze({
  starting: 'Starting: nobody is let in yet',
  ready: 'Ready',
  draining: 'Draining: nobody new is let in',
});

/** Qualities of a connection, ascending. */
const qualities = Object.freeze(['–', 'bad', 'fair', 'good']);

/** The transports, by name. @type {Readonly<Record<string, string>>} */
const transports = Object.freeze({
  webtransport: 'HTTP/3',
  websocket: 'WebSocket',
  http1: 'HTTP/1',
});

export const adminTexts = Object.freeze({
  /** Reasons against a token, by code. @type {Readonly<Record<string, string>>} */
  signIn: Object.freeze({
    'operator-off':
      'This server has no operator. Start it with --operator-token TOKEN to have one.',
    'operator-token': 'This is not the server’s operator token. Type it again.',
    'operator-offline': 'The server could not be reached. Check your network and try again.',
    empty: 'Type the operator token first.',
  }),
  offline: 'The server doesn’t answer. What you see is from before; this page goes on trying.',
  signedOut: 'You are signed out.',
  tokenGone: 'The server no longer accepts this token. Sign in again.',

  /** @param {{ version: string, codec: string, engine: string | null }} status */
  build: ({ version, codec, engine }) =>
    `aloud ${version} · Opus: ${codec} · ${engine ? `HTTP/3: ${engine}` : 'no HTTP/3'}`,
  state: (/** @type {string} */ state, /** @type {number} */ uptime) =>
    `${states[state] ?? state} · up for ${duration(uptime)}`,
  drainTitle: 'Drain the server?',
  drainText: 'Nobody new is let in, the calls are notified, and the server stops as with SIGTERM.',
  drain: 'Drain',
  drained: 'The server is draining.',
  cancel: 'Cancel',

  people: 'People',
  peopleOf: (/** @type {number} */ limit, /** @type {number} */ away) =>
    `of ${limit.toLocaleString('en')}${away > 0 ? `; ${away} away` : ''}`,
  rooms: 'Rooms',
  roomsOf: (/** @type {number} */ limit) => `of ${limit.toLocaleString('en')}`,
  mixing: 'Mixing',
  mixingOf: (/** @type {number} */ complexity) =>
    `of one processor; Opus at complexity ${complexity}`,
  lateTicks: 'Late mixes',
  lateTicksOf: 'by more than 20 ms, in the last 10 s',
  delay: 'Delay D',
  delayOf: (/** @type {number} */ maxMs) => `median; the largest ${milliseconds(maxMs)}`,
  lost: 'Lost on the way',
  lostOf: (/** @type {number | null} */ late) => `and late ${percentage(late)}, in the last 10 s`,
  disk: 'Recordings',
  diskOf: (/** @type {number} */ limit, /** @type {number} */ open) =>
    `of ${megabytes(limit)}${open > 0 ? `; ${open.toLocaleString('en')} in progress` : ''}`,
  sessions: 'Connections',
  sessionsOf: (/** @type {Record<string, number>} */ sessions) =>
    Object.entries(sessions)
      .map(([name, count]) => `${count} ${transports[name] ?? name}`)
      .join(', ') || 'none',

  /** @param {import('./tiles.js').StatusAnswer['webhooks'][number]} webhook */
  webhookLine: ({ delivered, dropped, waiting, problem }) =>
    [
      `${delivered.toLocaleString('en')} delivered`,
      ...(waiting > 0 ? [`${waiting.toLocaleString('en')} waiting`] : []),
      ...(dropped > 0 ? [`${dropped.toLocaleString('en')} dropped`] : []),
      ...(problem === null ? [] : [`last attempt: ${problem}`]),
    ].join('; '),

  present: (/** @type {number} */ count, /** @type {number} */ away) =>
    `${counted(count, 'person', 'people')}${away > 0 ? `, ${away} away` : ''}`,
  roomDelay: (/** @type {number} */ ms) => `D ${milliseconds(ms)}`,
  recording: 'Recording',
  roomLoading: 'Loading…',
  automaticDelay: 'Automatic delay',
  delayOfRoom: (/** @type {string} */ room) => `Delay of ${room}, in milliseconds`,
  set: 'Set',
  delaySet: (/** @type {string} */ room) => `The delay of ${room} was set.`,
  stopRecording: 'Stop recording',
  recordingStopped: (/** @type {string} */ room) => `The recording of ${room} was stopped.`,
  endRoom: 'End the room',
  endRoomTitle: (/** @type {string} */ room) => `End ${room}?`,
  endRoomText: 'Everybody in it sees that the room was ended, and nobody’s place is kept.',
  roomEnded: (/** @type {string} */ room) => `${room} was ended.`,
  peopleIn: (/** @type {string} */ room) => `People in ${room}`,

  locked: 'Locked',
  waiting: (/** @type {number} */ count) =>
    `${count} ${count === 1 ? 'waits' : 'wait'} to be let in`,
  /** @type {Readonly<Record<string, string>>} */
  rules: Object.freeze({
    locked: 'Locked: nobody new comes in',
    lobby: 'Lobby: newcomers must be let in',
    chat: 'Only moderators write',
    record: 'Only moderators record',
    broadcast: 'Broadcast: newcomers only listen',
  }),
  ruleSet: (/** @type {string} */ room) => `The rules of ${room} were changed.`,
  passwordOf: (/** @type {string} */ room) => `New password of ${room}`,
  passwordHint: 'New password',
  passwordSet: 'Set password',
  passwordOff: 'Remove password',
  passwordIsSet: (/** @type {string} */ room) => `${room} has a new password.`,
  passwordGone: (/** @type {string} */ room) => `${room} has no password any more.`,
  waitingFor: (/** @type {string} */ room) => `People who wait to be let into ${room}`,
  waits: 'waits to be let in',
  admit: 'Let in',
  admitWho: (/** @type {string} */ who) => `Let in ${who}`,
  admitted: (/** @type {string} */ who) => `${who} was let in.`,
  turnAway: 'Turn away',
  turnAwayWho: (/** @type {string} */ who) => `Turn away ${who}`,
  turnedAway: (/** @type {string} */ who) => `${who} was turned away.`,

  /** @type {Readonly<Record<string, string>>} */
  roles: Object.freeze({ moderator: 'Moderator', speaker: 'Speaker', listener: 'Listener' }),
  roleOf: (/** @type {string} */ who) => `Role of ${who}`,
  setRoleOf: (/** @type {string} */ who) => `Set the role of ${who}`,
  roleSet: (/** @type {string} */ who, /** @type {string} */ role) => `${who} is a ${role} now.`,
  silenced: 'Muted by a moderator',
  mute: 'Mute',
  muteWho: (/** @type {string} */ who) => `Mute ${who}`,
  mutedNow: (/** @type {string} */ who) => `${who} is muted, and can’t undo it.`,
  allowUnmute: 'Allow unmuting',
  allowUnmuteWho: (/** @type {string} */ who) => `Allow unmuting for ${who}`,
  unmuteAllowed: (/** @type {string} */ who) => `${who} may unmute again.`,
  lowerHand: 'Lower hand',
  lowerHandOf: (/** @type {string} */ who) => `Lower hand of ${who}`,
  handLowered: (/** @type {string} */ who) => `The hand of ${who} was lowered.`,
  ban: 'Ban',
  banForADay: 'Ban for a day',
  banWho: (/** @type {string} */ who) => `Ban ${who} for a day`,
  banTitle: (/** @type {string} */ who) => `Ban ${who} from the room for a day?`,
  banText:
    'They are removed and can’t come back: by their token if they have one, otherwise by their ' +
    'network, with everybody behind it. The ban can be lifted below.',
  bannedNow: (/** @type {string} */ who) => `${who} was banned for a day.`,
  banned: (/** @type {{ name: string, room: string }} */ { name, room }) => `${name}, from ${room}`,
  /** @param {{ identity: string | null, network: string | null, seconds: number }} ban */
  banLine: ({ identity, network, seconds }) =>
    (identity === null ? `by network ${network}` : `by token, ${identity}`) +
    `; for ${duration(seconds)} more`,
  lift: 'Lift',
  liftWhose: (/** @type {{ name: string, room: string }} */ { name, room }) =>
    `Lift the ban of ${name} from ${room}`,
  lifted: (/** @type {string} */ who) => `The ban of ${who} was lifted.`,

  muted: 'Muted',
  hand: 'Hand up',
  recorded: 'Recorded',
  connection: 'Over',
  sound: 'Connection',
  quality: (/** @type {number} */ quality) => qualities[quality] ?? qualities[0],
  transport: (/** @type {string} */ name) => transports[name] ?? name,
  roundTrip: 'Round trip',
  lostUp: 'Lost',
  latePackets: 'Needs delay',
  here: 'Here for',
  address: 'Address',
  remove: 'Remove',
  removeWho: (/** @type {string} */ who) => `Remove ${who}`,
  removeTitle: (/** @type {string} */ who) => `Remove ${who}?`,
  removeText:
    'They see that they were removed, and their place isn’t kept. With the link they can join ' +
    'again.',
  removed: (/** @type {string} */ who) => `${who} was removed.`,

  refused: (/** @type {string} */ of, /** @type {string} */ code) =>
    `${refusedThings[of] ?? of}: ${code}`,
  why: (/** @type {string} */ code) =>
    Object.hasOwn(errors, code) ? errors[/** @type {keyof typeof errors} */ (code)].message : '',

  /** @param {{ startedAt: string, on: boolean }} recording */
  recordingLine: ({ startedAt, on }) => {
    const start = new Date(startedAt);
    const time = start.toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
    return on ? `${time}, in progress` : time;
  },
  open: 'Files',
  openWhich: (/** @type {string} */ room) => `Files of ${room}`,
  deleteRecording: 'Delete',
  deleteWhich: (/** @type {string} */ room) => `Delete the recording of ${room}`,
  deleteTitle: (/** @type {string} */ room) => `Delete the recording of ${room}?`,
  deleteText: 'Its files are deleted from the server’s disk for good.',
  deleted: 'The recording was deleted.',
  notDone: 'That could not be done.',
});
