import { describe, expect, it } from 'vitest';
import { wrapReport } from '../../../server/report.js';

const COMMAND = '  apt-get install -y gcc && npm run build:native';

describe('the report of a start', () => {
  it('breaks between words where a terminal ends, and leaves a command whole', () => {
    expect(wrapReport(['one two three', `four five:\n${COMMAND}`, 'six'], 9)).toBe(
      ['one two', 'three', 'four', 'five:', COMMAND, 'six'].join('\n'),
    );
  });

  it('has lines as long as the terminal, and longer words whole', () => {
    expect(wrapReport(['123 567 90', 'a 1234567 b'], 7)).toBe('123 567\n90\na\n1234567\nb');
  });

  it('keeps its lines where there is no terminal', () => {
    expect(wrapReport(['one two three', COMMAND])).toBe(`one two three\n${COMMAND}`);
  });
});
