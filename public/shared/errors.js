/**
 * The one registry of errors that a person or a client program meets: for each code the number that
 * closes a session (WebTransport, WebSocket 4000 + number), the HTTP status, and the sentence.
 */
export const errors = Object.freeze({
  'bad-request': { close: 1, status: 400, message: 'The request is not one that the server understands.' },
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
  'room-full': { close: 4, status: 503, message: 'The room is full. Wait until somebody leaves, or use another room.' },
  'too-many-rooms': { close: 5, status: 503, message: 'The server holds as many rooms as it may. Try again later.' },
  'server-full': { close: 6, status: 503, message: 'The server holds as many people as it can. Try again later.' },
  'session-unknown': { close: 7, status: 404, message: 'The server does not know this session: it ended. Join again.' },
  'content-type': { close: 8, status: 415, message: 'The body must be of the content type that the protocol asks for.' },
  'body-too-large': { close: 9, status: 413, message: 'The body is larger than the server accepts.' },
  'join-timeout': { close: 10, status: 408, message: 'The connection was open for too long without joining a room.' },
  'idle-timeout': { close: 11, status: 408, message: 'Nothing was heard from this connection for too long. Join again.' },
  'server-closing': { close: 12, status: 503, message: 'The server is shutting down. Try again in a moment.' },
  'protocol-version': { close: 13, status: 400, message: 'This page and the server are of different versions. Reload the page.' },
  'not-found': { close: 14, status: 404, message: 'There is nothing at this address.' },
  'operator-off': {
    close: 16,
    status: 403,
    message: 'Running rooms can\'t be changed here. To turn it on, start the server with --operator-token TOKEN.',
  },
  'operator-token': {
    close: 17,
    status: 401,
    message: 'This needs the operator\'s token, as "Authorization: Bearer TOKEN".',
  },
  'chat-flood': { close: 20, status: 429, message: 'That was a lot at once. Wait a moment, then send it again.' },
  'resumed-elsewhere': {
    close: 18,
    status: 409,
    message: 'This call goes on in another window. To have it here, join again.',
  },
  'session-lost': { close: 19, status: 408, message: 'The connection broke off.' },
  'recording-off': {
    close: 21,
    status: 403,
    message: 'Nothing can be recorded here. To turn it on, start the server with --recording-limit-mb above 0.',
  },
  'recording-limit': {
    close: 22,
    status: 507,
    message: 'The server has no room for more recordings. Older ones are deleted by and by.',
  },
  'recording-failed': { close: 23, status: 500, message: 'The recording could not be written, and has stopped.' },
  'recording-busy': { close: 24, status: 429, message: 'The recording was started again and again. Wait a moment.' },
  'token-needed': { close: 40, status: 401, message: 'This server asks for a token. Open the link that you were given.' },
  'token-invalid': { close: 41, status: 401, message: 'The token is not one of this server. Ask for a new link.' },
  'token-expired': { close: 42, status: 401, message: 'The token has expired. Ask for a new link.' },
  'token-early': { close: 43, status: 401, message: 'The token is not valid yet. Try again later.' },
  'token-room': { close: 44, status: 403, message: 'The token is not for joining this room. Ask for a link to it.' },
  'password-needed': { close: 45, status: 401, message: 'This room has a password. Join with it.' },
  'password-wrong': { close: 46, status: 403, message: 'This is not the room\'s password. Try again.' },
  'password-attempts': { close: 47, status: 429, message: 'Too many passwords were tried. Wait half a minute, then try again.' },
  'room-locked': { close: 48, status: 403, message: 'The room is locked: nobody else may come in. Ask its moderator.' },
  'lobby-full': { close: 49, status: 503, message: 'Too many people wait to be let in. Try again later.' },
  'turned-away': { close: 50, status: 403, message: 'A moderator did not let you in.' },
  'knock-timeout': { close: 51, status: 408, message: 'Nobody answered your wish to come in. Try again later.' },
  removed: { close: 52, status: 403, message: 'A moderator has removed you from the room.' },
  banned: { close: 53, status: 403, message: 'A moderator has banned you from this room for a time.' },
  'room-ended': { close: 54, status: 410, message: 'The room was ended for everybody.' },
  'not-allowed': { close: 55, status: 403, message: 'You may not do this here. Ask a moderator of the room.' },
  silenced: { close: 56, status: 403, message: 'A moderator has muted you. You can speak again once they allow it.' },
  'no-such-person': { close: 57, status: 404, message: 'This person is not in the room.' },
  'last-moderator': { close: 58, status: 409, message: 'A room needs a moderator. Make somebody else one first.' },
  'no-identity': { close: 59, status: 409, message: 'This person came without a token. Ban them by their address.' },
  internal: { close: 15, status: 500, message: 'The server made a mistake. It has been written to its log.' },
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
