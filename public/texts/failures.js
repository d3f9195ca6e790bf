import { translated, translationOf } from './language.js';

const own = await translationOf('failures');

/**
 * The sentences about failures: what happened, then what to do. There is one for each code of
 * shared/errors.js that the page may meet, and for each code of the page's own.
 */

const LISTEN = 'Until then you can listen.';

/**
 * By code: the microphone, the output device, the sound.
 * @type {Readonly<Record<string, string>>}
 */
const soundFailures = Object.freeze({
  'no-microphone':
    'No microphone was found. Plug one in, and a call uses it ' + `automatically. ${LISTEN}`,
  'microphone-refused':
    'The browser was not allowed to use the microphone. Allow it for this page in the ' +
    'browser’s address bar, then ' +
    `press Unmute in the call, or choose it under Microphone. ${LISTEN}`,
  'microphone-busy':
    'The microphone could not be opened. Close other programs that use it, or choose ' +
    'another one under Microphone, ' +
    `which a call has under Settings. ${LISTEN}`,
  'microphone-slow':
    'The microphone isn’t available yet. If the browser asks for it, allow it; or listen for ' +
    'now, ' +
    'and it is taken as soon as you have.',
  'microphone-ended':
    'The microphone stopped sending sound. Plug it in again, or choose another ' + `one. ${LISTEN}`,
  'microphone-replaced':
    'Your microphone was unplugged. The default one is used until it is back. Plug it in, or ' +
    'choose another one under Settings.',
  'microphone-back': 'Your microphone is in use now. There is nothing to do.',
  'microphone-muted':
    'The system has muted your microphone, so nobody hears you. Switch it on again, on the ' +
    'device itself or in the system’s settings.',
  'microphone-insecure':
    'Browsers allow a microphone only on a secure page. Open this page with https://, or on ' +
    `localhost. ${LISTEN}`,
  'no-audio-worklet':
    'This browser lacks AudioWorklet, which your microphone needs. Use a current version of ' +
    'Chrome, Edge, Firefox or ' +
    `Safari. ${LISTEN}`,
  'no-audio':
    'This browser can’t play a call, because it lacks AudioWorklet or WebAssembly. Use a current ' +
    'version of Chrome, Edge, Firefox or Safari.',
  'no-worker':
    'A part of this page could not be loaded. Check your network, then reload the page and join ' +
    'again.',
  'no-sound':
    'The browser could not start its sound. Close other tabs and programs that play or record, ' +
    'then reload the page and join again.',
  'sound-blocked': 'The browser holds sound back until you press something. Press Turn sound on.',
  'no-output':
    'No speaker was found, or another program keeps it. Without one this browser can’t use a ' +
    'microphone either. Connect one, or close that program; then reload the page and join again.',
  'sound-interrupted':
    'Another program uses the sound of this device, such as a telephone call. It comes back on ' +
    'its own, or when you press Turn sound on.',
  'room-mono':
    'This room is mono, because it began so: left and right are heard as one. For stereo, be the ' +
    'first in a new room.',
  'stereo-processed':
    'This browser makes both sides of a microphone the same while it cancels echo, suppresses ' +
    'noise or sets the gain. To be heard in stereo, use headphones and choose Music under ' +
    'Settings.',
  'share-silent':
    'What you chose came without sound. Share again, choose a tab, and tick “Also share tab ' +
    'audio”.',
  'share-failed':
    'That sound could not be shared. Choose another tab or file, or reload the page and try again.',
  'pcm-off':
    'Lossless sound isn’t possible in this room, so it is compressed as usual. It needs frames ' +
    'of 2.5 or 5 ms, WebTransport or WebSocket, and no end-to-end encryption: choose them for ' +
    'a new room.',
  'own-full':
    'There is no more space for the recording on this device. What was recorded before is ' +
    'kept: download it, delete older files, and start again.',
  'own-slow':
    'This device’s disk is too slow, so the recording has stopped. What was recorded before is ' +
    'kept. Close other programs and start again.',
  'own-rate':
    'The room’s sound has another sample rate now, so the recording has stopped. What was ' +
    'recorded before is kept. Start again.',
  'own-failed':
    'The file can’t be written or read on this device. Leave the private window if this is ' +
    'one, or reload the page and try again.',
  'own-empty': 'No sound came, so no file was kept. Check your microphone, then record again.',
  'own-not-sent':
    'The file could not be sent. It is still on this device: check your network and try again.',
  'noise-model':
    'The stronger noise suppression can’t be used now, so your browser’s own is on in its place. ' +
    'To try again, turn it off and on under Settings.',
  'sound-resumed':
    'The system had stopped sound for a moment. You and the others can hear each other again.',
  'computer-busy':
    'This computer is too busy for the call: you may be heard late, and hear gaps. Close ' +
    'other programs and tabs, and plug in the charger.',
  'speaker-replaced':
    'Your speaker was unplugged. The default one is used until it is back. Plug it in, or choose ' +
    'another one under Settings.',
  'speaker-back': 'Your speaker is in use again. There is nothing to do.',
  'no-speaker':
    'That speaker could not be used, so sound stays where it was. Plug it in again, or choose ' +
    'another one.',
});

/** By code: the connection to the server. @type {Readonly<Record<string, string>>} */
const connectionFailures = Object.freeze({
  'local-network':
    'The server of this room is on a local network, so the browser asks whether this page may ' +
    'connect to devices there. Choose Allow to join.',
  'local-network-refused':
    'The server of this room is on a local network, and the browser lets this page connect to no ' +
    'device there. Allow it by the icon beside the address, then join again.',
  'connection-failed':
    'The server could not be reached. Check your network, or choose Automatic as the connection ' +
    'under Advanced, then join again.',
  'no-answer':
    'The server didn’t answer in time. Check your network, or choose Automatic as the connection ' +
    'under Advanced, then join again.',
  'not-offered':
    'The server doesn’t offer the connection that you chose. Choose Automatic under Advanced, ' +
    'then join again.',
  'no-webtransport':
    'This browser has no WebTransport here. Leave the connection on Automatic, which takes a ' +
    'WebSocket instead.',
  'connection-lost': 'The connection to the server was lost. Check your network, then join again.',
  'session-lost': 'The connection was interrupted. Check your network, then join again.',
  'session-unknown':
    'The server has ended this call, because it had not heard from this page for a while. Join ' +
    'again.',
  'idle-timeout':
    'Nothing came from this page for too long, so the server ended the call. Join again.',
  'join-timeout': 'Joining took too long. Check your network, then join again.',
  reconnecting:
    'The connection was interrupted. Stay on this page: it is reconnecting, and your place is ' +
    'kept for half a minute.',
  'reconnecting-long':
    'There has been no connection for a while, so the others see you as gone. Check this ' +
    'device’s network: you come back automatically, with your name, as soon as there is one.',
  'resumed-elsewhere': 'This call continues in another tab or window. To move it here, join again.',
  'protocol-version':
    'This page and the server are of different versions. Reload the page, then join again.',
  draining: 'The server is about to be restarted, and nobody new can join. Try again in a minute.',
  'call-draining':
    'The server is about to be restarted. The call is interrupted then, and comes back as soon ' +
    'as it ' +
    'can.',
  'server-closing': 'The server is shutting down, maybe only to restart. Try again in a moment.',
});

/** By code: what the server refused, or could not do. @type {Readonly<Record<string, string>>} */
const serverFailures = Object.freeze({
  'bad-request': 'The server did not understand this page. Reload it, then join again.',
  'room-name': 'A room name has 1 to 64 letters, digits, “-” or “_”. Choose another one.',
  'user-name':
    'A name has 1 to 40 characters, none of them a control character. Choose another one.',
  'room-full': 'The room is full. Wait until somebody leaves, or use another room.',
  'too-many-rooms':
    'The server has as many rooms as it allows. Try again later, or join a room that exists.',
  moved: 'The room has moved to another machine of the server. Join again.',
  'cluster-unreachable':
    'The server’s machines can’t reach each other now, and this one doesn’t have the room. Try ' +
    'again in a moment.',
  'node-silent': 'The machine that has the room doesn’t answer. Try again in a moment.',
  'node-answer':
    'The machine that has the room sent an answer that can’t be used. Reload the page, then try ' +
    'again.',
  'server-full': 'The server is full. Try again later.',
  'too-many-requests': 'Too many requests came from your network. Wait a moment, then try again.',
  'host-not-allowed':
    'The server doesn’t answer to the name in the address bar. The operator can allow it with ' +
    '--hostname.',
  'origin-not-allowed':
    'The server accepts no pages of other hosts. Open the page at the server’s own address.',
  'content-type':
    'The server didn’t accept the data that this page sent. Reload the ' + 'page, then try again.',
  'body-too-large': 'That was more than the server accepts at once. Send less.',
  'room-reopened': 'The room is reopening. You will be back in a moment.',
  'server-busy':
    'The server is overloaded, and lets nobody else in until the people in its rooms are heard ' +
    'well again. Try again in a moment.',
  'join-flood': 'There were too many joins from your network. Wait a moment, then join again.',
  'not-found': 'There is nobody in this room now. Join it again, or check its link.',
  'operator-off':
    'The delay can’t be changed on this server. The operator can turn that on by starting it ' +
    'with --operator-token.',
  'operator-token': 'This is not the server’s operator token. Type it again.',
  'operator-offline':
    'The server could not be reached, so nothing was changed. Check your network and try again.',
  'captions-off': 'Nobody in this room has asked for captions. Turn them on in the settings first.',
  'captions-taken': 'Another program writes the captions of this room. Stop that one first.',
  'caption-long': 'A caption has at most 240 characters. Send long speech in parts.',
  'chat-flood': 'You are writing quickly. Wait a moment: your messages are sent one by one.',
  'chat-offline':
    'There is no connection now. Your message waits here, and is sent when you are connected ' +
    'again.',
  'chat-full': 'Too many messages wait to be sent. Wait until they are sent, then send this one.',
  'tracks-full':
    'The server has no space for another backing track now. Remove one that is no longer needed, ' +
    'or add a shorter one.',
  'track-unreadable':
    'This browser can’t read that file as sound. Choose an MP3, WAV, Ogg, M4A or FLAC file.',
  'track-too-long': 'That is longer than a quarter of an hour. Choose a shorter file.',
  'track-not-sent':
    'The track could not be sent to the server. Check your network, then add it again.',
  'track-not-heard':
    'The backing track could not be downloaded, so you don’t hear it. Check your network.',
  'recording-off':
    'Nothing can be recorded on this server. The operator can turn that on with ' +
    '--recording-limit.',
  'recording-limit':
    'The server has no space for more recordings. Download and keep what you need, and wait ' +
    'until ' +
    'older ones are deleted.',
  'recording-share':
    'This room has used its share of the server’s space for recordings, or you or your network ' +
    'have. Download what you need, and wait until older ones are deleted.',
  'recording-others':
    'Only the one who started the recording, or a moderator, can stop it. Your own voice is left ' +
    'out when you switch off Record me.',
  'recording-failed':
    'The recording could not be written, and has stopped. What was recorded before is kept; ' +
    'start another one, or ask the server’s operator.',
  'recording-ended-away':
    'The recording ended while you had no connection. Anyone who may record can start another one.',
  'own-refused':
    'Only people who were recorded can add a file to the room’s recording, after its end, and ' +
    'at most five. Send the file to the host in another way.',
  'own-invalid':
    'The server couldn’t use the file. Download it, and send it to the host in another way.',
  'recording-deleted': 'The recording was deleted. Ask the person who recorded it for a copy.',
  'range-beyond': 'The file is shorter than that. Reload the page.',
  'recording-busy':
    'The recording was started and stopped too often. Wait a moment, then start it again.',
  'recording-files':
    'The recording’s files could not be downloaded. Open Record again in a moment, or ask the ' +
    'server’s operator.',
  'panel-failed':
    'This panel could not be loaded. Check your network, then close the panel and open it again.',
  'plots-failed': 'The plots could not be loaded. Close this panel and open it again.',
  'qr-failed':
    'The QR code could not be drawn. Check your network and press again, or copy the link.',
  'copy-failed':
    'The browser didn’t allow copying. Copy the link from the address bar, or select the text ' +
    'yourself.',
  internal:
    'The server made a mistake, which is in its log. Join again in a moment. If it happens ' +
    'again, tell the server’s operator.',
  unknown: 'Something unexpected went wrong. Reload the page and join again.',
});

/** By code: who may come in, and what moderators do. @type {Readonly<Record<string, string>>} */
const accessFailures = Object.freeze({
  'token-missing':
    'Joining here needs an invitation. Ask the person who runs the call for a link with a token.',
  'token-invalid':
    'The invitation in the link isn’t valid. Copy the whole link again, or ask for a new one.',
  'token-expired': 'The invitation has expired. Ask the person who invited you for a new link.',
  'token-early': 'The invitation isn’t valid yet. Try again at the time of the call.',
  'token-endless':
    'The invitation has no end, so the server doesn’t accept it. Ask the person who invited you ' +
    'for a new link.',
  'token-foreign':
    'The invitation wasn’t made for this server. Check the link, or ask for a new one.',
  'token-room':
    'The invitation doesn’t let you into this room. Use the link of the room that you were ' +
    'invited to.',
  banned:
    'A moderator has banned you from this room for a while. Ask them if you think it is a mistake.',
  removed: 'A moderator has removed you from the room. Ask them before you join again.',
  'room-locked': 'The room is locked. Ask somebody in it to unlock it, then join again.',
  'password-missing': 'The room has a password. Type it, then join again.',
  'password-wrong': 'That isn’t the room’s password. Type it again.',
  'password-flood': 'There were too many tries at the password. Wait a minute, then try again.',
  'lobby-full': 'Too many people wait to be let into this room. Try again later.',
  'turned-away': 'You weren’t let into the room. Ask a moderator, then join again.',
  'stream-key':
    'That isn’t the room’s stream key. Copy the key in the panel Room, and choose the user source.',
  'stream-taken':
    'Another program is sending to this room by its stream key. Stop that one, then send again.',
  'stream-format':
    'The stream isn’t Opus in Ogg. Choose Opus as the format in the program that sends.',
  'stream-stalled':
    'No sound came in the stream for too long, so it was ended. Begin to send again.',
  'offer-without-opus':
    'The offer has no Opus that the server can use. Choose Opus in the program that sends.',
  'webrtc-off':
    'WebRTC is off on this server. Ask the person who runs it to start it with --webrtc.',
  'ban-place':
    'The person was removed, but couldn’t be banned: they come from the server’s own machine and ' +
    'have no token.',
  'room-ended': 'A moderator has ended the call for everybody. To go on talking, join again.',
  'not-allowed': 'You may not do this in this room. Ask a moderator.',
  'person-unknown': 'This person isn’t in the room any more. There is nothing to do.',
  'forward-only':
    'This room passes sound on unmixed, which a connection over HTTP/1 can’t take. Choose ' +
    'another connection under Advanced, or another browser.',
  'forward-reply':
    'Somebody here is connected over HTTP/1, or only listens, and sound can’t be passed on to ' +
    'these people. Choose “Passed on in small rooms, else mixed”, or try again when they have ' +
    'left.',
  'broadcast-mix':
    'This room can’t go live, because the server doesn’t mix its sound. Have it mixed under ' +
    'Room, or start another room.',
  'groups-limit': 'A room can’t have that many groups. Open 20 at most.',
  'group-unknown': 'There is no such group any more. Choose one that is open.',
  'groups-broadcast':
    'A room can’t be live and have groups at once. End the broadcast, or the groups, first.',
  'language-tag': 'This is no language that has a tag. Choose one from the list.',
  'languages-limit': 'A broadcast has at most eight languages. End one of them first.',
  'language-broadcast': 'Only a broadcast has interpreters. Go live first.',
  'language-unknown': 'Nobody interprets into this language now. Choose one that is there.',
  'language-relay': 'This server has no interpreters. You still hear the speakers themselves.',
  'e2e-room':
    'This room is encrypted end to end, so the server can’t mix or record it. Start another room ' +
    'for that.',
  'e2e-only':
    'This room is encrypted end to end, and your link has no key for it. Ask for the whole link, ' +
    'with what is behind the “#”.',
  'e2e-not-here':
    'Your link has a key, but this room isn’t encrypted end to end. Start another room, or open ' +
    'the link without what is behind the “#”.',
  'e2e-key':
    'The others use another key than your link has, so you can’t hear each other. Ask one of ' +
    'them for the whole link.',
  'muted-by-moderator': 'A moderator has muted you. Raise your hand to ask to speak.',
});

/** All failures, by code. @type {Readonly<Record<string, string>>} */
export const failureTexts = translated(own.failureTexts, {
  ...soundFailures,
  ...connectionFailures,
  ...serverFailures,
  ...accessFailures,
});

/**
 * The sentence for a failure.
 * @param {string} code of the registry in shared/errors.js, or one of the page's own
 * @returns {string}
 */
export const noticeText = (code) =>
  Object.hasOwn(failureTexts, code) ? failureTexts[code] : failureTexts.unknown;

/** By code: the reason why a connection was not used. @type {Readonly<Record<string, string>>} */
export const reasons = translated(own.reasons, {
  'no-answer': 'It didn’t answer in time: the network may block it.',
  slower: 'It had not answered when another one was ready.',
  'not-offered': 'The server doesn’t offer it.',
  'no-webtransport': 'This browser has none.',
  'connection-lost': 'It was opened, but nothing came through it.',
  other: 'It could not be opened.',
});

/**
 * The reason why a connection was not used.
 * @param {string} code
 * @returns {string} a sentence
 */
export const failureReason = (code) =>
  Object.hasOwn(reasons, code) ? reasons[code] : reasons.other;
