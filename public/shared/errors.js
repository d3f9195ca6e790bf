/**
 * The one registry of errors that a person or a client program meets. Each code has the number
 * that closes a session (WebTransport; a WebSocket has 4000 + number), the HTTP status, and the
 * sentence.
 */
export const errors = Object.freeze({
  'bad-request': {
    close: 1,
    status: 400,
    message: 'The server does not understand this request.',
  },
  'room-name': {
    close: 2,
    status: 400,
    message: 'A room name has 1 to 64 letters, digits, "-" or "_". Choose another one.',
  },
  'user-name': {
    close: 3,
    status: 400,
    message: 'A name has 1 to 40 characters, none of them a control character. Choose another one.',
  },
  'room-full': {
    close: 4,
    status: 503,
    message: 'The room is full. Wait until somebody leaves, or use another room.',
  },
  'too-many-rooms': {
    close: 5,
    status: 503,
    message: 'The server has as many rooms as it allows. Try again later.',
  },
  'server-full': {
    close: 6,
    status: 503,
    message: 'The server is full. Try again later.',
  },
  'session-unknown': {
    close: 7,
    status: 404,
    message: 'The server does not know this session: it ended. Join again.',
  },
  'content-type': {
    close: 8,
    status: 415,
    message: 'The body must be of the content type that the protocol asks for.',
  },
  'body-too-large': {
    close: 9,
    status: 413,
    message: 'The body is larger than the server accepts.',
  },
  'join-timeout': {
    close: 10,
    status: 408,
    message: 'The connection was open for too long without joining a room.',
  },
  'idle-timeout': {
    close: 11,
    status: 408,
    message: 'Nothing was heard from this connection for too long. Join again.',
  },
  'server-closing': {
    close: 12,
    status: 503,
    message: 'The server is shutting down. Try again in a moment.',
  },
  'room-reopened': {
    close: 62,
    status: 503,
    message: 'The room is reopening. You will be back in a moment.',
  },
  draining: {
    close: 60,
    status: 503,
    message: 'The server is about to be restarted, and nobody new can join. Try again in a minute.',
  },
  moved: {
    close: 64,
    status: 421,
    message: 'The room is on another machine of this server now. Join again.',
  },
  'cluster-unreachable': {
    close: 65,
    status: 503,
    message:
      "The machines of this server can't reach each other now, and this one doesn't " +
      'have the room. Try again in a moment.',
  },
  'protocol-version': {
    close: 13,
    status: 400,
    message: 'This page and the server are of different versions. Reload the page.',
  },
  'not-found': { close: 14, status: 404, message: 'There is nothing at this address.' },
  'operator-off': {
    close: 16,
    status: 403,
    message:
      "Running rooms can't be changed here. To turn it on, start the server with " +
      '--operator-token TOKEN.',
  },
  'operator-token': {
    close: 17,
    status: 401,
    message: 'This needs the operator\'s token, as "Authorization: Bearer TOKEN".',
  },
  'chat-flood': {
    close: 20,
    status: 429,
    message: 'That was a lot at once. Wait a moment, then send it again.',
  },
  'resumed-elsewhere': {
    close: 18,
    status: 409,
    message: 'This call goes on in another window. To have it here, join again.',
  },
  'session-lost': { close: 19, status: 408, message: 'The connection broke off.' },
  'recording-off': {
    close: 21,
    status: 403,
    message:
      'Nothing can be recorded here. To turn it on, start the server with a --recording-limit ' +
      'above 0MB.',
  },
  'recording-limit': {
    close: 22,
    status: 507,
    message: 'The server has no space for more recordings. Wait until older ones are deleted.',
  },
  'tracks-full': {
    close: 61,
    status: 507,
    message:
      'The server has no space for another backing track. Remove one that is no longer needed, ' +
      'or add a shorter one.',
  },
  'recording-failed': {
    close: 23,
    status: 500,
    message: 'The recording could not be written, and has stopped.',
  },
  'recording-busy': {
    close: 24,
    status: 429,
    message: 'The recording was started again and again. Wait a moment.',
  },
  'too-many-requests': {
    close: 40,
    status: 429,
    message:
      'Too many requests came from this address or connection. Wait a moment, then try again.',
  },
  'host-not-allowed': {
    close: 41,
    status: 421,
    message:
      'This server does not answer to the host name in the address. The operator can allow that ' +
      'name by starting it with --hostname NAME.',
  },
  'server-busy': {
    close: 42,
    status: 503,
    message: 'The server is overloaded. Try again in a moment.',
  },
  'join-flood': {
    close: 43,
    status: 429,
    message: 'There were too many joins from this network. Wait a moment, then join again.',
  },
  'recording-share': {
    close: 44,
    status: 507,
    message:
      'This room has used its share of the space for recordings, or you or your network have. ' +
      'Wait until older ones are deleted.',
  },
  'recording-others': {
    close: 45,
    status: 403,
    message: 'Only the one who started the recording, or a moderator, can stop it.',
  },
  'recording-deleted': { close: 90, status: 410, message: 'This recording was deleted.' },
  'range-beyond': {
    close: 91,
    status: 416,
    message: 'The file is shorter than that. Its length is in Content-Range.',
  },
  'origin-not-allowed': {
    close: 46,
    status: 403,
    message: 'Pages of other hosts may not use this server. Open the page of the server itself.',
  },
  'token-missing': {
    close: 70,
    status: 401,
    message: 'Joining here needs an invitation. Ask for a link with a token.',
  },
  'token-invalid': {
    close: 71,
    status: 401,
    message: 'The invitation is not a valid token. Ask for a new link.',
  },
  'token-expired': {
    close: 72,
    status: 401,
    message: 'The invitation has expired. Ask for a new link.',
  },
  'token-early': {
    close: 73,
    status: 401,
    message: 'The invitation is not valid yet. Try again later.',
  },
  'token-endless': {
    close: 74,
    status: 401,
    message: 'The invitation has no end (exp), so it is not accepted. Ask for a new link.',
  },
  'token-foreign': {
    close: 75,
    status: 401,
    message: 'The invitation was not made for this server. Ask for a new link.',
  },
  'token-room': {
    close: 76,
    status: 403,
    message: 'The invitation does not let you into this room. Ask for a link of this room.',
  },
  banned: {
    close: 77,
    status: 403,
    message: 'A moderator has banned you from this room for a while.',
  },
  removed: { close: 78, status: 403, message: 'A moderator has removed you from the room.' },
  'room-locked': {
    close: 79,
    status: 403,
    message: 'The room is locked. Ask somebody in it to unlock it.',
  },
  'password-missing': { close: 80, status: 401, message: 'The room has a password.' },
  'password-wrong': { close: 81, status: 401, message: 'That is not the password of the room.' },
  'password-flood': {
    close: 82,
    status: 429,
    message: 'There were too many tries at the password. Wait a minute, then try again.',
  },
  'lobby-full': {
    close: 83,
    status: 503,
    message: 'Too many people wait to be let into this room. Try again later.',
  },
  'turned-away': { close: 84, status: 403, message: 'You were not let into the room.' },
  'ban-place': {
    close: 85,
    status: 409,
    message:
      "The person was removed, but not banned: they come from the server's own machine and " +
      'have no token.',
  },
  'room-ended': {
    close: 86,
    status: 410,
    message: 'A moderator has ended the call for everybody.',
  },
  'not-allowed': {
    close: 87,
    status: 403,
    message: 'You may not do this in this room. Ask a moderator.',
  },
  'person-unknown': { close: 88, status: 404, message: 'This person is not in the room any more.' },
  'muted-by-moderator': {
    close: 89,
    status: 403,
    message: 'A moderator has muted you, and can let you speak again.',
  },
  'captions-off': {
    close: 146,
    status: 409,
    message: 'Nobody in this room has asked for captions.',
  },
  'captions-taken': {
    close: 147,
    status: 409,
    message: 'Another program writes the captions of this room. Stop that one first.',
  },
  'caption-long': {
    close: 148,
    status: 413,
    message: 'A caption has at most 240 characters. Send long speech in parts.',
  },
  'stream-key': {
    close: 130,
    status: 401,
    message:
      'This is not the stream key of the room. Copy the key in the panel Room, and the user name ' +
      'is source.',
  },
  'stream-taken': {
    close: 131,
    status: 409,
    message: 'Another program is sending to this room by its stream key. Stop that one first.',
  },
  'stream-format': {
    close: 132,
    status: 415,
    message: 'The stream must be Opus in Ogg. Choose Opus as the format in the program that sends.',
  },
  'stream-stalled': {
    close: 133,
    status: 408,
    message: 'No sound came in the stream for too long. Begin to send again.',
  },
  'offer-without-opus': {
    close: 134,
    status: 406,
    message: 'The offer has no Opus that the server can use. Send or receive audio as Opus.',
  },
  'webrtc-off': {
    close: 135,
    status: 501,
    message:
      'WebRTC is off on this server. To turn it on, start it with --webrtc and the package ' +
      'node-datachannel.',
  },
  'own-refused': {
    close: 144,
    status: 403,
    message:
      'Only people who were recorded can add a recording of their own, after its end, at most ' +
      'five.',
  },
  'own-invalid': {
    close: 145,
    status: 422,
    message:
      'This is not the next piece of a 24-bit Broadcast Wave file as the page writes it. Send ' +
      'the file again from its beginning.',
  },
  'forward-only': {
    close: 100,
    status: 409,
    message:
      'This room forwards sound, which a connection over HTTP/1 can not take. Join over ' +
      'WebTransport or WebSocket.',
  },
  'forward-reply': {
    close: 101,
    status: 409,
    message:
      'Somebody in this room is connected over HTTP/1, or only listens: sound can not be ' +
      'forwarded to them. It stays mixed.',
  },
  'broadcast-mix': {
    close: 107,
    status: 409,
    message:
      'A broadcast is mixed by the server: a room whose sound is forwarded, or encrypted end to ' +
      'end, can not be one.',
  },
  'groups-limit': {
    close: 136,
    status: 400,
    message: 'A room has at most 20 groups. Choose a smaller number.',
  },
  'group-unknown': {
    close: 137,
    status: 404,
    message: 'There is no such group. Choose an open one.',
  },
  'groups-broadcast': {
    close: 138,
    status: 409,
    message: 'A broadcast has no groups. End the broadcast, or the groups, first.',
  },
  'language-tag': {
    close: 139,
    status: 400,
    message: 'This is no tag of a language (BCP 47), such as "es" or "pt-BR". Choose another one.',
  },
  'languages-limit': {
    close: 140,
    status: 409,
    message: 'A broadcast has at most 8 languages. End one of them first.',
  },
  'language-broadcast': {
    close: 141,
    status: 409,
    message: 'Only a broadcast has interpreters. Go live first.',
  },
  'language-unknown': {
    close: 142,
    status: 404,
    message: 'Nobody interprets into this language now. Choose another one.',
  },
  'language-relay': {
    close: 143,
    status: 409,
    message: 'This node of the cluster has no interpreters. You hear the speakers themselves.',
  },
  'e2e-room': {
    close: 102,
    status: 409,
    message: 'This room is encrypted end to end: the server can not mix or record it.',
  },
  'e2e-only': {
    close: 103,
    status: 403,
    message: 'This room is encrypted end to end. Open the whole link, with the key behind "#".',
  },
  'e2e-not-here': {
    close: 104,
    status: 409,
    message:
      'Your link has a key, but this room is not encrypted end to end. Choose another room, or ' +
      'join without the key.',
  },
  'node-silent': {
    close: 121,
    status: 504,
    message: 'The machine that has the room does not answer. Try again in a moment.',
  },
  'node-answer': {
    close: 122,
    status: 502,
    message:
      'The machine that has the room sent an answer that can not be used. Try again in a moment.',
  },
  internal: {
    close: 15,
    status: 500,
    message: 'The server made a mistake. It has been written to its log.',
  },
});

/** @typedef {keyof typeof errors} ErrorCode */

/**
 * The code that a session's close number stands for.
 * @param {number} close as WebTransport gives it; a WebSocket's less 4000
 * @returns {ErrorCode | null}
 */
export function errorOfClose(close) {
  for (const code of /** @type {ErrorCode[]} */ (Object.keys(errors))) {
    if (errors[code].close === close) return code;
  }
  return null;
}

/** Reason for a missing or ended connection. */
export class ConnectionError extends Error {
  /**
   * @param {string} code of the registry, or 'connection-failed', 'connection-lost', 'no-answer',
   *   'not-offered', 'no-webtransport', 'no-worker', 'local-network-refused'
   * @param {string} message a sentence for people
   * @param {boolean} [refused] the server answered with a refusal: another transport won't help
   */
  constructor(code, message, refused = false) {
    super(message);
    this.name = 'ConnectionError';
    this.code = code;
    this.refused = refused;
  }
}
