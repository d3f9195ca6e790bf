/** The element that joins a room from another site's page. */
export const elementTexts = Object.freeze({
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
