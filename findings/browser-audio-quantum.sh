#!/usr/bin/env bash
# A shorter render quantum or latencyHint 0 changes what a page is told, not the bursts it gets.
. "$(dirname "$0")/lib.sh"
browser_pieces
sound_server 'sink_name=played channels=2 rate=48000'

cat >"$work/main.mjs" <<'END'
import { BROWSERS, open } from './browser.mjs';
import { claim } from './claim.mjs';

const look = (page, options) => page.evaluate(async (contextOptions) => {
  const context = new AudioContext({ sampleRate: 48_000, ...contextOptions });
  const source = `
    registerProcessor('bursts', class extends AudioWorkletProcessor {
      #last = -1; #run = 0; #bursts = []; #blocks = 0;
      process(_, [[output]]) {
        const now = Date.now();
        if (now - this.#last >= 2 && this.#last > 0) {
          this.#bursts.push(this.#run);
          this.#run = 0;
        }
        this.#last = now;
        this.#run += output.length;
        if (++this.#blocks * output.length > 96_000) {
          this.port.postMessage({ block: output.length, bursts: this.#bursts });
          this.#bursts = []; this.#blocks = 0;
        }
        return true;
      }
    });`;
  const blob = new Blob([source], { type: 'text/javascript' });
  await context.audioWorklet.addModule(URL.createObjectURL(blob));
  const node = new AudioWorkletNode(context, 'bursts');
  node.connect(context.destination);
  await context.resume();
  const { block, bursts } = await new Promise((resolve) => {
    node.port.onmessage = ({ data }) => resolve(data);
  });
  bursts.sort((one, other) => one - other);
  const result = { quantum: context.renderQuantumSize ?? null, block,
    burst: bursts[bursts.length >> 1], base: Math.round(context.baseLatency * 48_000) };
  await context.close();
  return result;
}, options);

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  const told = (seen) => JSON.stringify(seen);
  const usual = await look(page, {});
  const short = await look(page, { renderSizeHint: 32 });
  const hardware = await look(page, { renderSizeHint: 'hardware' });
  const quick = await look(page, { latencyHint: 0 });
  console.log(`seen       ${name} as usual: ${told(usual)}`);
  if (name === 'chromium') {
    claim('chromium takes renderSizeHint: 32', short.quantum === 32 && short.block === 32,
      told(short));
    claim("chromium, 'hardware': 128", hardware.quantum === 128 && hardware.block === 128,
      told(hardware));
    claim('chromium, latencyHint: 0 lowers baseLatency', quick.base < usual.base, told(quick));
  } else {
    claim('firefox ignores renderSizeHint and has no renderQuantumSize',
      short.quantum === null && short.block === 128 && hardware.block === 128, told(short));
  }
  claim(`${name}: bursts are as long with each of them`,
    [short, hardware, quick].every(({ burst }) => Math.abs(burst - usual.burst) <= 128),
    [usual, short, hardware, quick].map(({ burst }) => burst).join(', '));
  await close();
}
END
cd "$work"
judge node main.mjs
