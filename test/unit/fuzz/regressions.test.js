/** @import { ClientMessageType } from '../../../public/shared/messages/client-messages.js' */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CLIENT_MESSAGES } from '../../../public/shared/messages/client-messages.js';
import { readJoin } from '../../../server/host/arrivals.js';
import { Inputs } from '../../fuzz/inputs.js';
import { commands, joins, moderation } from '../../fuzz/targets/control-lines.js';
import { TARGETS } from '../../fuzz/targets/index.js';

const REGRESSIONS = fileURLToPath(new URL('../../fuzz/regressions/', import.meta.url));

/** Inputs of each target that are tried with every run of the unit tests, by a parser's cost. */
const INPUTS = 2000;

/** @type {string[]} */
const files = readdirSync(REGRESSIONS, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.bin'));

afterAll(async () => {
  for (const { close } of TARGETS) await close?.();
});

describe.each(TARGETS)('fuzzing: $name', (target) => {
  const found = files.filter((name) => name.startsWith(`${target.name}/`));

  it.skipIf(found.length === 0).each(found)(
    'is right with what was once wrong: %s',
    async (name) => {
      await target.run(readFileSync(`${REGRESSIONS}${name}`));
    },
  );

  it('is right with what those send who mean well', async () => {
    for (const input of target.valid) await target.run(input);
  });

  it('is right with some of what they don’t', async () => {
    const inputs = new Inputs(target.valid, target.make);
    for (let i = 0; i < Math.ceil(INPUTS / target.cost); i++) await target.run(inputs.at(1, i));
  });
});

it('an input is the same whenever it is made', () => {
  for (const { valid, make } of TARGETS) {
    const [one, other] = [new Inputs(valid, make), new Inputs(valid, make)];
    for (let i = 0; i < 50; i++) other.at(7, i);
    expect([...other.at(3, 12)]).toEqual([...one.at(3, 12)]);
  }
});

it('every finding belongs to a target', () => {
  for (const name of files)
    expect(TARGETS.map((target) => target.name)).toContain(name.split('/')[0]);
});

describe('messages that fuzzing begins with', () => {
  const asked = [...commands, ...moderation].map((text) => JSON.parse(text));

  it('are those of every command, and of every act of a moderator', () => {
    const { join: _join, knock: _knock, ...ofMembers } = CLIENT_MESSAGES;
    expect(new Set(asked.map(({ type }) => type))).toEqual(new Set(Object.keys(ofMembers)));
    const actions = ofMembers.moderate.fields.options.flatMap(({ shape }) => [
      ...shape.action.values,
    ]);
    expect(
      new Set(asked.flatMap(({ type, action }) => (type === 'moderate' ? action : []))),
    ).toEqual(new Set(actions));
  });

  it('are valid', () => {
    for (const text of joins)
      expect([text, typeof readJoin(JSON.parse(text))]).toEqual([text, 'object']);
    for (const message of asked) {
      const { fields } = CLIENT_MESSAGES[/** @type {ClientMessageType} */ (message.type)];
      expect([message, fields.safeParse(message).error]).toEqual([message, undefined]);
    }
  });
});
