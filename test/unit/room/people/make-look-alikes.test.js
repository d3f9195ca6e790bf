import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/**
 * Lines as Unicode's file has them, with its byte order mark, comments, and lines without a
 * character.
 */
const TEXT = `\ufeff# confusables.txt
# Date: 2024-05-31, 21:12:55 GMT
# Unicode Security Mechanisms for UTS #39
# Version: 16.0.0
#
00A0 ;\t0020 ;\tMA\t#* (   →   ) NO-BREAK SPACE → SPACE\t#\x20
2028 ;\t0020 ;\tMA\t#* (   →   ) LINE SEPARATOR → SPACE\t#\x20

0410 ;\t0041 ;\tMA\t# ( А → A ) CYRILLIC CAPITAL LETTER A → LATIN CAPITAL LETTER A\t#\x20
006D ;\t0072 006E ;\tMA\t# ( m → rn ) LATIN SMALL LETTER M → \
LATIN SMALL LETTER R, LATIN SMALL LETTER N\t#\x20
1D400 ;\t0041 ;\tMA\t# ( 𝐀 → A ) MATHEMATICAL BOLD CAPITAL A → LATIN CAPITAL LETTER A\t#\x20

# total: 5
`;

it('the script writes the table from the text as Unicode has it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'aloud-names-'));
  try {
    const [from, to] = [join(directory, 'confusables.txt'), join(directory, 'look-alikes.txt')];
    writeFileSync(from, TEXT);
    execFileSync(process.execPath, [
      fileURLToPath(new URL('../../../../server/room/people/make-look-alikes.js', import.meta.url)),
      from,
      to,
    ]);
    const lines = readFileSync(to, 'utf8').trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
      '20:a0 1f88',
      '41:410 1cff0',
      '72 6e:6d',
    ]);
    const head = lines.filter((line) => line.startsWith('#')).join('\n');
    expect(head).toContain('confusables.txt of Unicode 16.0.0');
    expect(head).toContain('make-look-alikes.js');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
