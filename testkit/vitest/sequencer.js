import { BaseSequencer } from 'vitest/node';

/** Projects whose files begin before those of others of their group. */
const FIRST = ['integration'];

/**
 * Begins with integration tests. Vitest goes by the projects' names, and theirs would come after
 * those in browsers. One of them takes minutes, with nothing else beside it where it comes last.
 */
export class Sequencer extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const place = (/** @type {import('vitest/node').TestSpecification} */ { project }) =>
      2 * project.config.sequence.groupOrder + (FIRST.includes(project.name) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
