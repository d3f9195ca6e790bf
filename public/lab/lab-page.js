/**
 * @import { LabConfig, LabModule, Protocol } from './runs/protocol.js'
 * @import { AudioFormat } from '../shared/sound/audio-format.js'
 * @import { Environment } from './views/data-files.js'
 * @import { RunEvent } from './runs/run.js'
 */

import { fetchConfig } from '../client/connection/join.js';
import { addStyle, elementOf, setText } from '../ui/kit/element.js';
import { takeInvitation } from '../ui/kit/invitation.js';
import { Notices } from '../ui/kit/notices.js';
import { formatCsv, formatJson } from './views/data-files.js';
import { DelayView, MAX_DELAY_MS } from './views/delay-view.js';
import { Measurements, roundTripsMs } from './measurements.js';
import { ProtocolChoice, unsupportedReason } from './views/protocols.js';
import { RoundTripView } from './views/round-trip-view.js';
import { Runner } from './runs/runner.js';
import { addProtocols, planDelays, PROTOCOLS } from './runs/protocol.js';
import { SoundView } from './views/sound-view.js';
import { leastDelay, summarize } from './summary.js';
import { texts } from './texts.js';

/**
 * Least time between two drawings of the results, in milliseconds: drawing disturbs the
 * measurement.
 */
const DRAW_MS = 500;

/** Step of a sweep's delays, and the time for each, in milliseconds. */
const STEP_MS = 8;
const DWELL_MS = 500;

/** The page: one run at a time, and its results. */
class LabPage {
  #config;
  #notices;
  #token;
  #runner;
  #measurements = new Measurements();
  /** @type {AudioFormat | null} */
  #format = null;
  #measuredAt = '';
  #protocols;
  #delayProtocols;
  #roundTrips = new RoundTripView();
  #sound = new SoundView();
  #delay = new DelayView((serverDelayMs) => this.#runner.delay(serverDelayMs));
  #measureProgress = new ProgressView('measure');
  #delayProgress = new ProgressView('delay');
  #buttons = {
    measure: elementOf('measure-button', HTMLButtonElement),
    live: elementOf('listen-button', HTMLButtonElement),
    sweep: elementOf('sweep-button', HTMLButtonElement),
  };
  #labels = { measure: texts.start, live: texts.tryDelays, sweep: texts.sweep };
  #problem = elementOf('measure-problem', HTMLElement);
  #announcer = elementOf('announcer', HTMLElement);
  /** @type {ReturnType<typeof setTimeout> | null} */
  #drawing = null;
  #wasStopped = false;

  /**
   * @param {LabConfig} config
   * @param {LabModule | null} module  of the server's plugin
   * @param {Notices} notices
   * @param {string} [token] of an invitation
   */
  constructor(config, module, notices, token) {
    this.#config = config;
    this.#runner = new Runner(module);
    this.#notices = notices;
    this.#token = token;
    const reasons = new Map(
      PROTOCOLS.map((protocol) => [protocol, unsupportedReason(protocol, config, window)]),
    );
    this.#protocols = new ProtocolChoice(elementOf('protocols', HTMLElement), {
      type: 'checkbox',
      reasons,
    });
    elementOf('protocols', HTMLElement).addEventListener('change', () => {
      if (this.#protocols.chosen.length > 0) this.#showMissing(false);
    });
    const host = elementOf('delay-protocols', HTMLElement);
    this.#delayProtocols = new ProtocolChoice(host, { type: 'radio', reasons });
    this.#onSubmit('measure', () => this.#measure());
    this.#onSubmit('delay', () => this.#listen());
    this.#buttons.sweep.addEventListener(
      'click',
      () => void (this.#runner.running ? this.#stop() : this.#sweep()),
    );
    elementOf('download-json', HTMLButtonElement).addEventListener('click', () =>
      this.#download('json'),
    );
    elementOf('download-csv', HTMLButtonElement).addEventListener('click', () =>
      this.#download('csv'),
    );
  }

  /**
   * @param {string} id of a form whose button starts and stops a run
   * @param {() => Promise<void>} start
   */
  #onSubmit(id, start) {
    elementOf(id, HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#runner.running) this.#stop();
      else void start();
    });
  }

  async #measure() {
    const protocols = this.#chosen();
    if (!protocols) return;
    const durationMs = 1000 * Number(elementOf('duration', HTMLSelectElement).value);
    this.#measurements.beginRoundTrips();
    this.#measureProgress.begin();
    await this.#run('measure', 'round-trip', { protocols, durationMs }, (event) => {
      this.#measurements.addToRoundTrips(event);
      if (event.type === 'progress') {
        const { done, protocol, turn, turns } = event;
        this.#measureProgress.show(
          done,
          done < 1 ? texts.turn(protocol, turn, turns) : texts.lastAnswers,
        );
      }
    });
    this.#measureProgress.end();
    const medians = PROTOCOLS.flatMap((protocol) => {
      const run = this.#measurements.runs.get(protocol);
      const summary = run && summarize(roundTripsMs(run));
      return summary ? [/** @type {[Protocol, number]} */ ([protocol, summary.p50])] : [];
    });
    this.#announceEnd(medians.length > 0 ? texts.roundTripsDone(medians) : texts.nothing);
  }

  async #listen() {
    const [protocol] = this.#delayProtocols.chosen;
    if (!protocol) return;
    this.#delayProgress.begin();
    await this.#run('live', 'live', { protocol, serverDelayMs: this.#delay.delayMs }, (event) => {
      this.#measurements.addToReceived(event);
      if (event.type === 'opened') this.#delayProgress.show(null, texts.live(protocol));
      if (event.type === 'heard') this.#delay.showNow(this.#measurements, protocol);
    });
    this.#delay.silence();
    this.#delayProgress.end();
    this.#announceEnd(texts.stopped);
  }

  async #sweep() {
    const protocols = this.#chosen();
    if (!protocols) return;
    this.#measurements.beginSweep(protocols);
    this.#delayProgress.begin();
    const before = this.#delay.delayMs;
    const delaysMs = planDelays({ toMs: MAX_DELAY_MS, stepMs: STEP_MS });
    await this.#run('sweep', 'sweep', { protocols, delaysMs, dwellMs: DWELL_MS }, (event) => {
      this.#measurements.addToReceived(event);
      if (event.type === 'progress') {
        this.#delayProgress.show(
          event.done,
          texts.sweeping(event.protocol, event.turn, event.turns),
        );
      } else if (event.type === 'heard') {
        this.#delay.follow(event.serverDelayMs);
        this.#delay.showNow(this.#measurements, event.protocol);
      }
    });
    this.#delay.follow(before);
    this.#delay.silence();
    this.#delayProgress.end();
    const found = protocols.filter(
      (protocol) => this.#measurements.receivedCurve(protocol, 'A').size > 0,
    );
    const least = found.map(
      (protocol) => /** @type {[Protocol, number | null]} */ ([protocol, this.#leastOf(protocol)]),
    );
    this.#announceEnd(least.length > 0 ? texts.sweepDone(least) : texts.nothing);
  }

  /** @param {Protocol} protocol */
  #leastOf(protocol) {
    const [a, b] = /** @type {const} */ (['A', 'B']).map((client) =>
      this.#measurements.receivedCurve(protocol, client),
    );
    return leastDelay([a, b], 90);
  }

  /** @returns {Protocol[] | null} null when none is chosen, and the page says so */
  #chosen() {
    const protocols = this.#protocols.chosen;
    const isMissing = protocols.length === 0;
    this.#showMissing(isMissing);
    if (isMissing) this.#announcer.textContent = texts.noProtocol;
    return isMissing ? null : protocols;
  }

  /** @param {boolean} isMissing  true when no protocol is chosen */
  #showMissing(isMissing) {
    this.#problem.hidden = !isMissing;
    setText(this.#problem, isMissing ? texts.noProtocol : '');
  }

  /**
   * @param {'measure' | 'live' | 'sweep'} which button stops the run
   * @param {'round-trip' | 'live' | 'sweep'} kind
   * @param {object} settings
   * @param {(event: RunEvent) => void} onEvent
   */
  async #run(which, kind, settings, onEvent) {
    this.#notices.clear();
    this.#wasStopped = false;
    this.#announcer.textContent = texts.begun;
    this.#measuredAt = new Date().toISOString();
    this.#showButtons(which, texts.stop);
    const request = {
      kind,
      origin: location.origin,
      config: this.#config,
      token: this.#token,
      settings,
    };
    const problem = await this.#runner.start(request, (event) => {
      onEvent(event);
      if (event.type === 'opened') this.#format = event.format;
      if (event.type === 'failed') this.#showFailure(event);
      this.#drawLater();
    });
    if (problem) this.#notices.show('lab-problem', { sentence: texts.problem(problem) });
    this.#showButtons(null, '');
    this.#draw();
  }

  /** @param {import('./runs/run.js').FailedEvent} event */
  #showFailure({ protocol, reason }) {
    this.#notices.show(`lab-${protocol}`, { sentence: texts.failed(protocol, reason) });
  }

  #stop() {
    this.#wasStopped = true;
    for (const button of Object.values(this.#buttons))
      if (!button.disabled) setText(button, texts.stopping);
    this.#runner.stop();
  }

  /**
   * @param {'measure' | 'live' | 'sweep' | null} which button stops the run; null when nothing runs
   * @param {string} label of that button
   */
  #showButtons(which, label) {
    for (const choice of [this.#protocols, this.#delayProtocols]) choice.busy(which !== null);
    for (const key of /** @type {const} */ (['measure', 'live', 'sweep'])) {
      const button = this.#buttons[key];
      button.disabled = which !== null && which !== key;
      setText(button, which === key ? label : this.#labels[key]);
    }
  }

  /** @param {string} sentence announced unless the run was stopped */
  #announceEnd(sentence) {
    this.#announcer.textContent = this.#wasStopped ? texts.stopped : sentence;
  }

  #drawLater() {
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
  }

  #draw() {
    if (this.#drawing !== null) clearTimeout(this.#drawing);
    this.#drawing = null;
    this.#roundTrips.show(this.#measurements);
    this.#sound.show(this.#measurements);
    this.#delay.show(this.#measurements);
    elementOf('data', HTMLElement).hidden = this.#measurements.isEmpty;
  }

  /** @returns {Environment} */
  #environment() {
    const { sampleRate = null, frameMs = null, opusFrames = null } = this.#format ?? {};
    return {
      measured_at: this.#measuredAt,
      server: location.origin,
      server_version: this.#config.version ?? null,
      sample_rate: sampleRate,
      frame_ms: frameMs,
      opus_frames: opusFrames,
      user_agent: navigator.userAgent,
      logical_processors: navigator.hardwareConcurrency,
      // Without cross-origin isolation a browser's clock is coarser.
      cross_origin_isolated: crossOriginIsolated,
    };
  }

  /** @param {'json' | 'csv'} kind */
  #download(kind) {
    const format = kind === 'json' ? formatJson : formatCsv;
    const type = kind === 'json' ? 'application/json' : 'text/csv';
    const url = URL.createObjectURL(
      new Blob([format(this.#measurements, this.#environment())], { type }),
    );
    const link = document.createElement('a');
    link.href = url;
    link.download = `aloud-lab-${this.#measuredAt.replace(/[:.]/g, '-')}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  /** Ends the run when the page closes. */
  leave() {
    this.#runner.abandon();
  }
}

class ProgressView {
  #host;
  #bar;
  #text;

  /** @param {string} id of the run's form */
  constructor(id) {
    this.#host = elementOf(`${id}-progress`, HTMLElement);
    this.#bar = elementOf(`${id}-bar`, HTMLProgressElement);
    this.#text = elementOf(`${id}-text`, HTMLElement);
  }

  begin() {
    this.#host.hidden = false;
    this.show(0, texts.opening);
  }

  /** @param {number | null} done 0 to 1; null for an endless run @param {string} text */
  show(done, text) {
    this.#bar.hidden = done === null;
    this.#bar.value = done ?? 0;
    setText(this.#text, text);
  }

  end() {
    this.#host.hidden = true;
  }
}

/** Loads the server's configuration, and the module that its plugin may have. */
async function load() {
  /** @type {LabConfig} */
  const config = await fetchConfig(location.origin);
  const module = await addProtocols(config);
  if (module) await addStyle(module.style);
  return { config, module };
}

/** Opens the page with the protocols that the server offers. */
async function open() {
  const notices = new Notices(elementOf('notices', HTMLElement));
  const loaded = await load().catch(() => null);
  if (!loaded) return void notices.show('lab-no-server', { sentence: texts.noServer });
  const { config, module } = loaded;
  const page = new LabPage(config, module, notices, takeInvitation('/lab'));
  addEventListener('pagehide', () => page.leave());
}

await open();
