/**
 * @import { PersonFields } from '../../public/shared/messages/fields.js'
 * @import { ServerMessage } from '../../public/shared/messages/server-messages.js'
 */

/** Title of a room's sound: the one that its people told last. */
export class RoomTitle {
  /** Titles by the people's ids, the last told one at the end. @type {Map<string, string>} */
  #titles = new Map();

  /** '' when nobody tells one. */
  get text() {
    return [...this.#titles.values()].at(-1) ?? '';
  }

  /**
   * @param {ServerMessage} message  to a member of the room
   * @returns {boolean} true when the title is another one
   */
  take(message) {
    const before = this.text;
    if (message.type === 'welcome') this.#set(message.people);
    else if (message.type === 'joined' || message.type === 'changed')
      this.#set('people' in message ? message.people : [message.person]);
    else if (message.type === 'left')
      for (const id of 'ids' in message ? message.ids : [message.id]) this.#titles.delete(id);
    return this.text !== before;
  }

  /** @param {readonly PersonFields[]} people */
  #set(people) {
    for (const { id, title = '' } of people) {
      if (title === (this.#titles.get(id) ?? '')) continue;
      this.#titles.delete(id);
      if (title !== '') this.#titles.set(id, title);
    }
  }
}
