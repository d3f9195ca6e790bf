import { NO_CALL } from '../../client/call/call-view.js';
import { Store } from '../../client/call/store.js';

/**
 * @import { Call } from '../../call.js'
 * @import { CallView } from '../../client/call/types.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
 *
 * @typedef {(message: ClientMessage) => boolean} Send
 *   sends a message to the server; false when there is no connection now
 */

/** The page's present call; one may follow another. All views of a call read this store. */
export class CurrentCall {
  /** The view of the call; between two calls it is the view of no call. @type {Store<CallView>} */
  store = new Store(NO_CALL);
  /** The present call, joined or joining. @type {Call | null} */
  call = null;
  #endFollowing = () => {};

  /** @param {Call} call */
  begin(call) {
    this.call = call;
    this.store.set(call.store.value);
    this.#endFollowing = call.store.observe((_now, _before, changes) => this.store.set(changes));
  }

  /** Forgets the ended call. */
  end() {
    this.#endFollowing();
    this.call = null;
    this.store.set(NO_CALL);
  }

  /** @type {Send} */
  send = (message) => this.call?.sendControl(message) ?? false;

  /** The person of this page; undefined when they aren't in the list. */
  get me() {
    const { people, you } = this.store.value;
    return people.find(({ id }) => id === you);
  }
}
