import { describe, expect, it } from 'vitest';
import { largest, nameOf, partOf, samplesIn, sharesOf } from '../../participants/perf-profile.js';
import { functionsOf } from '../../participants/server-profile.js';
import { threadTimes } from '../../participants/processor-time.js';

const OUTPUT = `node 812
\t7f3c01 JS:*mix file:///home/x/aloud/server/mix/mixing.js:319:12 (/tmp/perf-812.map)
\t7f3c02 Builtins_JSEntry (/usr/bin/node)

aloud-quic 813
\tffffffff8220 _raw_spin_unlock_irqrestore ([kernel.kallsyms])
\tffffffff8221 udp_sendmsg ([kernel.kallsyms])
\tffffffff8222 __x64_sys_sendmsg ([kernel.kallsyms])
\t7f3c03 __libc_sendmsg (/usr/lib/libc.so.6)

aloud-opus 814
\t7f3c04 celt_encode_with_ec (/x/native/aloud.node)

aloud-quic 813

tokio runtime w 815
\t7f3c05 quinn_proto::connection::Connection::poll_transmit (/x/native/aloud.node)
`;

/** @param {string} symbol @param {string} file @param {string} [call] */
const sample = (symbol, file, call = '') => ({ thread: 'node', symbol, file, call });

describe('samples of perf', () => {
  it('have their thread, the innermost frame, and the call of the kernel', () => {
    const samples = samplesIn(OUTPUT);
    expect(samples.map(({ thread }) => thread)).toEqual([
      ...['node', 'aloud-quic', 'aloud-opus', 'tokio runtime w'],
    ]);
    expect(samples[1]).toEqual({
      thread: 'aloud-quic',
      symbol: '_raw_spin_unlock_irqrestore',
      file: '[kernel.kallsyms]',
      call: 'sendmsg',
    });
    expect(samples.map(nameOf)).toEqual([
      'mix server/mix/mixing.js:319:12',
      'sendmsg',
      'celt_encode_with_ec',
      'quinn_proto::connection::Connection::poll_transmit',
    ]);
  });

  it.each([
    ['UDP in the kernel', '_raw_spin_unlock_irqrestore', '[kernel.kallsyms]', 'sendmmsg'],
    ['waking and switching', 'finish_task_switch.isra.0', '[kernel.kallsyms]', 'futex'],
    ['waking and switching', '__schedule', '[kernel.kallsyms]', ''],
    ['kernel, other', 'exc_page_fault', '[kernel.kallsyms]', ''],
    ['Opus', 'op_pvq_search_sse2', '/x/native/aloud.node', ''],
    ["Opus's analysis", 'tonality_analysis.isra.0', '/x/native/aloud.node', ''],
    ['QUIC, tokio, the addon', 'tokio::runtime::task::poll', '/x/native/aloud.node', ''],
    ['crypto', 'ring_core_0_17_aes_hw_ctr32', '/x/native/aloud.node', ''],
    ['memory of the addon', 'mi_heap_malloc_zero_aligned_at', '/x/native/aloud.node', ''],
    ['addon, without symbols', '[unknown]', '/x/native/aloud.node', ''],
    ['JavaScript', 'JS:*tick /x/server/mix/mixing.js:1:1', '/tmp/perf-1.map', ''],
    ['V8 and Node', 'BytecodeHandler:Star0', '/tmp/perf-1.map', ''],
    ['V8 and Node', 'Builtins_KeyedLoadIC', '/usr/bin/node', ''],
    ['garbage', 'v8::internal::Scavenger::Process', '/usr/bin/node', ''],
    ['N-API', 'napi_call_function', '/usr/bin/node', ''],
    ['libc', '__memmove_avx512', '/usr/lib/x86_64-linux-gnu/libc.so.6', ''],
    ['other', 'inflate', '/usr/lib/libz.so.1', ''],
  ])('belong to %s: %s', (part, symbol, file, call) => {
    expect(partOf(sample(symbol, file, call))).toBe(part);
  });

  it('add up to what the process took, also where only the largest are shown', () => {
    const samples = ['a', 'b', 'a', 'c', 'd', 'a'].map((symbol) => sample(symbol, ''));
    const shares = sharesOf(samples, ({ symbol }) => symbol, 43.2);
    const sum = (/** @type {readonly [string, number][]} */ rows) =>
      rows.reduce((all, [, share]) => all + share, 0);
    expect(shares[0]).toEqual(['a', expect.closeTo(21.6, 9)]);
    expect(sum(shares)).toBeCloseTo(43.2, 9);
    const shown = largest(shares, 2);
    expect(shown.map(([name]) => name)).toEqual(['a', 'b', '2 others']);
    expect(sum(shown)).toBeCloseTo(43.2, 9);
    expect(largest(shares, 4)).toEqual(shares);
  });
});

it("functions of V8's profile have file and line, and idle time is left out", () => {
  const frame = (/** @type {string} */ functionName, url = '', lineNumber = 0) => ({
    functionName,
    url,
    lineNumber,
  });
  const nodes = [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('mix', 'file:///x/server/mix/mixing.js', 318) },
    { id: 3, callFrame: frame('', 'node:net', 4) },
    { id: 4, callFrame: frame('(garbage collector)') },
  ];
  expect(functionsOf({ nodes, samples: [1, 2, 2, 3, 4, 1] })).toEqual({
    'mix server/mix/mixing.js:319': 2,
    '(anonymous) node:net:5': 1,
    '(garbage collector)': 1,
  });
});

it('the threads of a process have names and times that grow', () => {
  const before = threadTimes(process.pid);
  const untilMs = performance.now() + 20;
  while (performance.now() < untilMs);
  const sum = (/** @type {Map<number, { name: string, ms: number }>} */ times) =>
    [...times.values()].reduce((all, { ms }) => all + ms, 0);
  expect(before.get(process.pid)?.name).toBe('JavaScript');
  expect(sum(threadTimes(process.pid))).toBeGreaterThan(sum(before));
});
