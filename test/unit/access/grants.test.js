import { describe, expect, it } from 'vitest';
import { DEFAULT_ALLOWANCES, grantOf, grantOfClaims, refusalOf } from '../../../server/access/grants.js';

/** @typedef {import('../../../server/access/grants.js').Permission} Permission */

const ALL = /** @type {const} */ (['speak', 'listen', 'chat', 'record', 'moderate']);

/** @param {import('../../../server/access/grants.js').Grant} grant @param {object} [more] @returns {string} what it allows */
const allows = ({ role, without }, more = {}) =>
  ALL.filter((permission) => refusalOf({ role, without, silenced: false, allowances: DEFAULT_ALLOWANCES, ...more }, permission) === null).join(' ');

describe('a grant', () => {
  it.each([
    ['moderator', 'speak listen chat record moderate'],
    ['speaker', 'speak listen chat record'],
    ['listener', 'listen chat'],
  ])('of a %s allows %s', (role, allowed) => expect(allows(grantOf(/** @type {any} */ (role)))).toBe(allowed));

  it('takes sound alone from one who is muted, and says so', () => {
    const standing = { ...grantOf('moderator'), silenced: true, allowances: DEFAULT_ALLOWANCES };
    expect(allows(grantOf('speaker'), { silenced: true })).toBe('listen chat record');
    expect(refusalOf(standing, 'speak')).toBe('silenced');
  });

  it('follows what the moderators allow', () => {
    const allowances = { chat: 'moderators', record: 'everybody' };
    expect(allows(grantOf('speaker'), { allowances })).toBe('speak listen record');
    expect(allows(grantOf('listener'), { allowances })).toBe('listen record');
    expect(allows(grantOf('moderator'), { allowances })).toBe('speak listen chat record moderate');
  });
});

describe('a grant by a token\'s claims', () => {
  it.each([
    ['nothing said', {}, 'speak listen chat'],
    ['a recorder', { roomRecord: true }, 'speak listen chat record'],
    ['an administrator', { roomAdmin: true }, 'speak listen chat record moderate'],
    ['an administrator who doesn\'t publish', { roomAdmin: true, canPublish: false }, 'listen record moderate'],
    ['a listener', { canPublish: false }, 'listen'],
    ['a listener who writes', { canPublish: false, canPublishData: true }, 'listen chat'],
    ['a speaker who doesn\'t write', { canPublishData: false }, 'speak listen'],
    ['a speaker who doesn\'t hear', { canSubscribe: false }, 'speak chat'],
    ['a camera alone', { canPublishSources: ['camera'] }, 'listen chat'],
    ['a microphone, whatever canPublish says', { canPublish: false, canPublishSources: ['microphone'] }, 'speak listen'],
    ['no sources, which is as if nothing were said', { canPublishSources: [] }, 'speak listen chat'],
  ])('of %s', (_, video, allowed) => expect(allows(grantOfClaims(video))).toBe(allowed));

  it('withholds what the token does, whatever the role becomes', () => {
    const { without } = grantOfClaims({ canPublish: false });
    expect(allows(grantOf('moderator', without))).toBe('speak listen moderate');
  });
});
