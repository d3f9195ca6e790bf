import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { moderatedText } from '../../../public/texts.js';
import { ROLES } from '../../../server/access/grant.js';

const server = readFileSync(
  new URL('../../../server/room/moderation/moderation.js', import.meta.url),
  'utf8',
);

/** The acts that the server tells the one whom they concern. */
const acts = [
  ...new Set(
    [...server.matchAll(/#tell\(member, ([^,]*'),/g)].flatMap(([, told]) =>
      [...told.matchAll(/'([a-z-]+)'/g)].map(([, act]) => act),
    ),
  ),
];

describe('what a moderator does to somebody', () => {
  it('names the operator as such, and nobody who is only called so', () => {
    expect(moderatedText({ action: 'muted', by: 'operator', operator: true })).toMatch(
      /^The server’s operator has muted you/,
    );
    expect(moderatedText({ action: 'muted', by: 'operator' })).toMatch(/^operator has/);
  });

  it('is of four kinds', () =>
    expect(acts.sort()).toEqual(['hand-lowered', 'may-unmute', 'muted', 'role']));

  it.each(acts)('has a sentence for %s, with the name of who did it', (action) => {
    expect(moderatedText({ action, by: 'Ann', role: 'listener' })).toMatch(
      /^Ann (has|lets) [^]*\.$/,
    );
  });

  it('says so where somebody comes who was muted before', () => {
    expect(moderatedText({ action: 'muted', by: null })).toMatch(
      /^You are still muted by a moderator\. Raise your hand/,
    );
  });

  it.each(ROLES)('has a sentence for the role %s, also where nobody did it', (role) => {
    const sentence = moderatedText({ action: 'role', by: null, role });
    expect(sentence).toMatch(new RegExp(`^You are now a ${role}\\b[^]*\\.$`));
  });

  it('has none for what the page doesn’t know', () => {
    for (const action of ['painted', 'constructor', '__proto__', undefined])
      expect(moderatedText({ action, by: 'Ann' })).toBe('');
  });
});
