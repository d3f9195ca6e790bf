import { describe, expect, it } from 'vitest';
import { createLog } from '../../../server/log.js';

/** @param {'error' | 'warn' | 'info' | 'debug'} level */
function linesAt(level) {
  /** @type {string[]} */
  const lines = [];
  const log = createLog({ level, write: (line) => lines.push(line), wallNow: () => 0 });
  for (const each of /** @type {const} */ (['error', 'warn', 'info', 'debug'])) log[each](`of ${each}`);
  return lines;
}

describe('the log', () => {
  it.each([
    [/** @type {const} */ ('error'), 1],
    [/** @type {const} */ ('warn'), 2],
    [/** @type {const} */ ('info'), 3],
    [/** @type {const} */ ('debug'), 4],
  ])('at %s writes %d of the four levels', (level, count) => {
    expect(linesAt(level)).toHaveLength(count);
  });

  it('writes the date and the level in front', () => {
    expect(linesAt('error')).toEqual(['1970-01-01T00:00:00.000Z error of error']);
  });

  it('keeps a message to its line, whatever a peer put into it', () => {
    /** @type {string[]} */
    const lines = [];
    const log = createLog({ write: (line) => lines.push(line), wallNow: () => 0 });
    log.warn('name "a\r\n2026 error forged\u001b[31m\u2028b"');
    expect(lines).toEqual(['1970-01-01T00:00:00.000Z warn name "a 2026 error forged [31m b"']);
  });
});
