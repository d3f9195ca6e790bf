import { describe, expect, it } from 'vitest';
import { changesOf, hue, initials } from '../../../public/ui/people/person.js';

describe('avatars', () => {
  it.each([
    ['Anna', 'A'],
    ['anna maria lund', 'AL'],
    ['a_very-long name', 'AN'],
    ['Ömer  Çelik ', 'ÖÇ'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧F'],
    ['李小龍', '李'],
    ['-_-', '?'],
    ['', '?'],
  ])('of %j say %j', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });

  it('have a hue of their own, always the same', () => {
    expect(hue('Anna')).toBe(hue('Anna'));
    const hues = ['Anna', 'Ben', 'Chloe', 'David', 'Emma', 'anna', ''].map(hue);
    expect(new Set(hues).size).toBe(hues.length);
    for (const degrees of hues) expect(degrees >= 0 && degrees < 360).toBe(true);
  });
});

describe('announcements', () => {
  const anna = {
    id: '1',
    name: 'Anna',
    label: 'Anna',
    transport: 'websocket',
    muted: false,
    silenced: false,
    role: 'speaker',
    hand: 0,
    quality: 0,
    recorded: false,
    title: '',
    owner: '',
    group: 0,
    language: '',
    away: false,
    waitMs: 0,
    laterMs: 0,
    you: false,
  };
  const ben = { ...anna, id: '2', name: 'Ben', label: 'Ben (2)' };

  it('tell who comes and who goes, by the name that tells them apart', () => {
    expect(changesOf([anna], [anna, ben], '1')).toEqual({
      sentences: ['Ben (2) joined.'],
      came: 1,
      went: 0,
    });
    expect(changesOf([anna, ben], [anna], '1')).toEqual({
      sentences: ['Ben (2) left.'],
      came: 0,
      went: 1,
    });
  });

  it('tell of a shared sound by its owner, who doesn’t come or go with it', () => {
    const tune = { ...anna, id: '3', name: 'Tune', label: 'Tune', owner: '2' };
    expect(changesOf([anna, ben], [anna, ben, tune], '1')).toEqual({
      sentences: ['Ben (2) shares a sound.'],
      came: 0,
      went: 0,
    });
    expect(changesOf([anna, ben, tune], [anna, ben], '1')).toEqual({
      sentences: ['Ben (2) no longer shares a sound.'],
      came: 0,
      went: 0,
    });
  });

  it('tell what changes about the others, and not about oneself', () => {
    const changed = { muted: true, hand: 1, away: true };
    const { sentences, came, went } = changesOf(
      [anna, ben],
      [
        { ...anna, ...changed },
        { ...ben, ...changed },
      ],
      '1',
    );
    expect(sentences).toEqual([
      'Ben (2) lost the connection.',
      'Ben (2) is muted.',
      'Ben (2) raised their hand.',
    ]);
    expect(came + went).toBe(0);
    expect(changesOf([{ ...ben, ...changed }], [ben], '1').sentences).toHaveLength(3);
    expect(
      changesOf([{ ...ben, role: 'listener' }], [{ ...ben, role: 'moderator' }], '1').sentences,
    ).toEqual(['Ben (2) is a moderator now.']);
    expect(
      changesOf([{ ...ben, role: 'moderator' }], [{ ...ben, role: 'speaker' }], '1').sentences,
    ).toEqual([]);
  });
});
