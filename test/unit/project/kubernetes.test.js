import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILE = readFileSync(join(ROOT, 'deploy/kubernetes.yaml'), 'utf8');

/**
 * Does with the file's steps what kubectl does: refuses a step that needs something missing.
 */
const KUBECTL = `#!/bin/sh
set -e
has() { [ -e "$STATE/$1" ] || { echo "$1 not found" >&2; exit 1; }; }
case "$*" in
  'create namespace '*) touch "$STATE/namespace-$3" ;;
  '-n '*' create secret '*) has "namespace-$2"; touch "$STATE/secret-$6" ;;
  'label node '*' aloud=true') touch "$STATE/label" ;;
  'apply -f '*)
    for name in $(grep -o 'namespace: [a-z]*' "$3" | sort -u | cut -d' ' -f2); do
      has "namespace-$name"
    done
    secrets=$(grep -oE '(secretName|secretKeyRef: \\{ name): [a-z-]+' "$3")
    for name in $(echo "$secrets" | grep -oE '[a-z-]+$'); do has "secret-$name"; done
    grep -q 'nodeSelector' "$3" && has label
    touch "$STATE/applied" ;;
  *) echo "unknown: $*" >&2; exit 2 ;;
esac
`;

it('the steps of deploy/kubernetes.yaml work in their order', () => {
  const directory = mkdtempSync(join(tmpdir(), 'aloud-kubectl-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, script] of [
    ['kubectl', KUBECTL],
    ['openssl', '#!/bin/sh\necho secret\n'],
  ]) {
    writeFileSync(join(directory, name), script);
    chmodSync(join(directory, name), 0o755);
  }
  const steps = [...FILE.matchAll(/^# {3}(kubectl .*)$/gm)].map(([, step]) => step);
  expect(steps.length).toBeGreaterThan(3);
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, STATE: directory };
  for (const step of steps) {
    const { status, stderr } = spawnSync('sh', ['-c', step], { cwd: ROOT, env, encoding: 'utf8' });
    expect([step, status, stderr]).toEqual([step, 0, '']);
  }
  expect(readFileSync(join(directory, 'applied'), 'utf8')).toBe('');
});
