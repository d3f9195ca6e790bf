import { BaseSequencer } from 'vitest/node';

/**
 * Begins with integration tests. Vitest goes by the projects' names, and theirs would come after
 * those in browsers. One of them takes minutes, with nothing else beside it where it comes last.
 */
export class Sequencer extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const place = (/** @type {import('vitest/node').TestSpecification} */ { project }) =>
      2 * project.config.sequence.groupOrder + Number(project.name !== 'integration');
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
