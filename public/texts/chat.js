/** The chat. */
export const chatTexts = Object.freeze({
  chatLog: 'Messages',
  chatEmpty: 'Nothing has been written yet. Messages are seen by everybody in the room, and by those who come later.',
  chatField: 'Message to everybody',
  chatPlaceholder: 'Write to everybody',
  send: 'Send',
  showAll: 'Show all of it',
  showLess: 'Show less',
  messageCut: 'This message was longer; its end was cut off.',
  chatFrom: (/** @type {string} */ name, /** @type {string} */ text) => `${name} wrote: ${text}`,
  charactersLeft: (/** @type {number} */ count) => `${count} more characters fit.`,
  tooLong: (/** @type {number} */ count) =>
    `This is ${count} ${count === 1 ? 'character' : 'characters'} too long. Shorten it, or send it in two messages.`,
  chatUnread: (/** @type {number} */ count) => `Chat, ${count} unread`,
});
