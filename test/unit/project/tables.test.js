import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  CONFIGURATION_PAGE,
  CONFIGURATION_PARTS,
  eventTable,
  OPERATING_PAGE,
  OPERATING_PARTS,
  PROTOCOL_PAGE,
  PROTOCOL_PARTS,
  withParts,
} from '../../../docs/tables.js';
import { CLIENT_MESSAGES } from '../../../public/shared/messages/client-messages.js';
import { SERVER_MESSAGES } from '../../../public/shared/messages/server-messages.js';
import { OPTIONS } from '../../../server/config/options.js';

describe('tables of pages', () => {
  it.each([
    ['options', CONFIGURATION_PAGE, CONFIGURATION_PARTS],
    ['events of the log', OPERATING_PAGE, OPERATING_PARTS],
    ['messages', PROTOCOL_PAGE, PROTOCOL_PARTS],
  ])('list the %s of the code: run `npm run docs`', (_, url, parts) => {
    const page = readFileSync(url, 'utf8');
    expect(withParts(page, parts)).toBe(page);
  });

  it('have a row for each option and each message', () => {
    const options = readFileSync(CONFIGURATION_PAGE, 'utf8');
    for (const { name } of OPTIONS) expect(options).toContain(`| \`${name}\` |`);
    const messages = readFileSync(PROTOCOL_PAGE, 'utf8');
    for (const type of Object.keys({ ...CLIENT_MESSAGES, ...SERVER_MESSAGES }))
      expect(messages).toContain(`\n| \`${type}\` |`);
  });

  it('have one message for each event of a level', () => {
    const keys = eventTable()
      .split('\n')
      .map((row) => row.split(' | ', 2).join(' '));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('are refused by a page without a place for them', () => {
    expect(() => withParts('# Operating', OPERATING_PARTS)).toThrow(/no place for "events"/);
  });
});
