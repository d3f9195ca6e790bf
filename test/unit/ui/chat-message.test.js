import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLinks } from '../../../public/ui/chat/chat-message.js';

/** @param {string} text */
const linksOf = (text) =>
  splitLinks(text).flatMap(({ text: shown, href }) => (href === null ? [] : [[shown, href]]));

describe('links in a message', () => {
  it.each([
    ['https://example.org', 'https://example.org', 'https://example.org/'],
    ['see http://example.org/a?b=c#d.', 'http://example.org/a?b=c#d', 'http://example.org/a?b=c#d'],
    ['(https://example.org/a_(b))', 'https://example.org/a_(b)', 'https://example.org/a_(b)'],
    ['HTTPS://EXAMPLE.org/X, yes', 'HTTPS://EXAMPLE.org/X', 'https://example.org/X'],
    ['“https://example.org/”', 'https://example.org/', 'https://example.org/'],
    ['https://[::1]:8080/r/tea!', 'https://[::1]:8080/r/tea', 'https://[::1]:8080/r/tea'],
    ['https://例え.jp/道', 'https://例え.jp/道', 'https://xn--r8jz45g.jp/%E9%81%93'],
  ])('of %j are found without the text around them', (text, shown, href) => {
    expect(linksOf(text)).toEqual([[shown, href]]);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,<b>',
    'ftp://example.org',
    'https://',
    'http:// example.org',
    'xhttps://example.org',
    'example.org',
    'https://?',
    'file:///etc/passwd',
  ])('are not made of %j', (text) => {
    expect(linksOf(text)).toEqual([]);
  });

  it('end where markup would begin', () => {
    expect(linksOf('https://a.example/"onclick="x <b>https://b.example<i>')).toEqual([
      ['https://a.example/', 'https://a.example/'],
      ['https://b.example', 'https://b.example/'],
    ]);
  });

  it('are http or https, and leave the text as it is, whatever it is', () => {
    const odd = fc.array(
      fc.oneof(
        fc.constantFrom(
          'https://',
          'http://',
          'javascript:',
          '(',
          ')',
          '[',
          ']',
          '.',
          '@',
          '%',
          '"',
          '<',
          '\u202e',
        ),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(odd, (words) => {
        const text = words.join('');
        const pieces = splitLinks(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        for (const { href } of pieces) if (href !== null) expect(href).toMatch(/^https?:\/\//);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
