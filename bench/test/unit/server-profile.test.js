import { describe, expect, it } from 'vitest';
import { partsOf } from '../../participants/server-profile.js';

/**
 * Makes a profile from stacks, outermost function first, with the number of samples of each.
 * @param {[number, ...[string, string][]][]} stacks
 */
function profileOf(stacks) {
  /**
   * @type {{ id: number, callFrame: { functionName: string, url: string }, children: number[] }[]}
   */
  const nodes = [{ id: 1, callFrame: { functionName: '(root)', url: '' }, children: [] }];
  const samples = stacks.flatMap(([count, ...stack]) => {
    let parent = nodes[0];
    for (const [functionName, url] of stack) {
      const node = { id: nodes.length + 1, callFrame: { functionName, url }, children: [] };
      nodes.push(node);
      parent.children.push(node.id);
      parent = node;
    }
    return new Array(count).fill(parent.id);
  });
  return { nodes, samples };
}

describe("the parts of JavaScript's time", () => {
  it('are those of the innermost code that has a place, whatever V8 calls native functions', () => {
    const codec = 'file:///aloud/server/codec/native.js';
    expect(
      partsOf(
        profileOf([
          [5, ['tick', 'file:///aloud/server/mix/mixing.js'], ['encode', codec], ['Endpoint', '']],
          [2, ['tick', 'file:///aloud/server/mix/mixing.js'], ['end', codec]],
          [
            3,
            ['pull', 'file:///aloud/server/source/source.js'],
            ['decode', codec],
            ['OpusDecoder', ''],
          ],
          [4, ['tick', 'file:///aloud/server/mix/mixing.js']],
          [6, ['read', 'file:///aloud/native/endpoint.js'], ['recv', '']],
          [7, ['processTimers', 'node:internal/timers']],
          [8, ['(garbage collector)', '']],
          [9, ['(program)', '']],
          [100, ['(idle)', '']],
        ]),
      ),
    ).toEqual({
      encoding: 7,
      decoding: 3,
      aloud: 4,
      "QUIC, JavaScript's side": 6,
      "Node's event loop": 7,
      garbage: 8,
      'waking, and calls of the system': 9,
    });
  });

  it('are none where nothing was seen', () => expect(partsOf({ nodes: [] })).toEqual({}));
});
