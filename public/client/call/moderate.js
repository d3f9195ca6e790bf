/** @import { ClientMessages } from '../../shared/messages/client-messages.js' */

/**
 * A moderator's messages, for sendControl(). The server refuses one by a `refused` with `of:
 * 'moderate'`.
 *
 *     call.sendControl(moderate.mute(person.id, true));
 */
export const moderate = Object.freeze(
  /** @satisfies {Record<string, (...args: never[]) => ClientMessages['moderate']>} */ ({
    /**
     * Mutes somebody; false lets them unmute themselves again.
     * @param {string} person
     * @param {boolean} muted
     */
    mute: (person, muted) => ({ type: 'moderate', action: 'mute', person, muted }),
    /** @param {string} person */
    lowerHand: (person) => ({ type: 'moderate', action: 'lower-hand', person }),
    /**
     * Removes somebody, and bans them for a time.
     * @param {string} person
     * @param {number} [banSeconds]
     */
    remove: (person, banSeconds = 0) => ({
      type: 'moderate',
      action: 'remove',
      person,
      banSeconds,
    }),
    /** @param {string} person @param {'moderator' | 'speaker' | 'listener'} role */
    setRole: (person, role) => ({ type: 'moderate', action: 'role', person, role }),
    /** @param {boolean} on true: nobody new may join */
    lock: (on) => ({ type: 'moderate', action: 'lock', on }),
    /** @param {boolean} on true: newcomers wait for admission; false admits all who wait */
    lobby: (on) => ({ type: 'moderate', action: 'lobby', on }),
    /** @param {string} knock */
    admit: (knock) => ({ type: 'moderate', action: 'admit', knock }),
    /** @param {string} knock */
    turnAway: (knock) => ({ type: 'moderate', action: 'turn-away', knock }),
    /** @param {'chat' | 'record'} what @param {'everybody' | 'moderators'} who */
    allow: (what, who) => ({ type: 'moderate', action: 'allow', what, who }),
    /** @param {string | null} password  null: none */
    setPassword: (password) => ({ type: 'moderate', action: 'password', password }),
    /**
     * Requests a part of the audience; `audience` answers.
     * @param {{ after?: string, find?: string }} [page] after: `next` of the previous answer; find:
     *   a part of their name
     */
    listeners: (page = {}) => ({ type: 'moderate', action: 'listeners', ...page }),
    /** @param {'mix' | 'forward' | 'auto'} mode of the room's sound */
    setMode: (mode) => ({ type: 'moderate', action: 'mode', mode }),
    /** @param {boolean} on  true: people without an invitation to the stage only listen */
    broadcast: (on) => ({ type: 'moderate', action: 'broadcast', on }),
    /** @param {boolean} on  true: a new stream key; false: none */
    streamKey: (on) => ({ type: 'moderate', action: 'stream-key', on }),
    /**
     * Opens groups, or changes their number.
     * @param {number} count
     * @param {boolean} [evenly]  true: spreads all people but moderators over them
     * @param {boolean} [choose]  true: everybody may choose a group
     */
    groups: (count, evenly = false, choose = false) => ({
      type: 'moderate',
      action: 'groups',
      count,
      evenly,
      choose,
    }),
    /** @param {string} person @param {number} group  0: the room */
    group: (person, group) => ({ type: 'moderate', action: 'group', person, group }),
    /** @param {number} [seconds]  until everybody is back from the groups */
    callBack: (seconds = 0) => ({ type: 'moderate', action: 'groups-back', seconds }),
    /** @param {boolean} on  true: all groups hear this moderator */
    speakToGroups: (on) => ({ type: 'moderate', action: 'groups-speak', on }),
    /** @param {string} person @param {string | null} language  BCP 47; null: heard by all */
    interpret: (person, language) => ({ type: 'moderate', action: 'interpret', person, language }),
    /** Ends the room for everybody. */
    end: () => ({ type: 'moderate', action: 'end' }),
    /** Requests the room's bans; `bans` answers. */
    bans: () => ({ type: 'moderate', action: 'bans' }),
    /** @param {string} ban */
    unban: (ban) => ({ type: 'moderate', action: 'unban', ban }),
  }),
);
