import { keepStage, nameOfInvitation } from '../ui/kit/invitation.js';
import { monotonicNow } from '../ui/kit/live-time.js';
import { build, elementOf, makeButton } from '../ui/kit/element.js';
import { Listening, stageAddress } from './listening.js';
import { ListenView } from './listen-view.js';
import { MediaControls } from './media-controls.js';
import { listenTexts as texts } from '../texts/listen.js';

/**
 * @import { Access, CallView } from '../client/call/types.js'
 * @import { ServerMessages } from '../shared/messages/server-messages.js'
 * @import { LanguageChoice } from '../ui/kit/language-choice.js'
 * @import { ListenAddress } from './listening.js'
 */

/** Time without a connection after which the place in the room is gone, in milliseconds. */
const LONG_MS = 30_000;

/**
 * Interval at which a page that isn't listening asks for the number of listeners, in milliseconds.
 */
const POLL_MS = 15_000;

/** Notices about sound, by code. The others are about microphones, which this page doesn't use. */
const NOTICES = Object.freeze({
  'sound-blocked': texts.pressForSound,
  'sound-interrupted': texts.interrupted,
});

/** Notices whose sentences are loaded when they are needed. */
const RARE = new Set(['no-output', 'e2e-key']);

/** The listeners' page: one press plays the room. */
export class ListenPage {
  #address;
  #view;
  #media;
  #listening;
  /** @type {'idle' | 'starting' | 'playing'} */
  #state = 'idle';
  #handRaised = false;
  /** Id of the place that was heard last. */
  #you = '';
  #isLive = false;
  /** @type {Access['rules'] | null} */
  #rules = null;
  /** The key of the stage; empty without permission to enter it. */
  #stage = '';
  #isLeaving = false;
  /** True while the page offers the stage, which it can't enter on its own. */
  #offersStage = false;
  /** The last notice, with its sentence in the status. */
  #noticed = { code: '', sentence: '' };
  #hasLanguages = false;
  /** @type {LanguageChoice | null} */
  #languages = null;
  /** @type {string[]} */
  #onStage = [];
  /** Sentence of the status until Listen is pressed. @type {string | null} */
  #invites = texts.ready;
  #timer = 0;

  /** @param {ListenAddress & { token?: string }} address */
  constructor(address) {
    this.#address = address;
    const { room, token, e2eKey, transport } = address;
    this.#view = new ListenView(
      room,
      { ...address, invited: nameOfInvitation(token) },
      {
        toggle: () => this.#toggle(),
        hand: () => this.#toggleHand(),
        volume: (level) => this.#listening.setVolume(level),
        near: (nearness) => this.#listening.setNearness(nearness),
      },
    );
    this.#media = new MediaControls({
      play: () => void this.#start(),
      pause: () => this.#pause(),
      stop: () => this.#pause(),
    });
    this.#listening = new Listening(
      { room, token, e2eKey, transport },
      {
        changed: (now, before) => this.#follow(now, before),
        speakers: (names, isOther) => this.#view.speaks(names, isOther),
        quality: (kbps, transportName, delayMs) =>
          this.#view.quality(texts.quality(kbps, transportName, delayMs)),
        notice: (code, holds) => this.#notice(code, holds),
        moderated: (message) => this.#moderated(message),
        refused: (message) => void this.#refused(message),
      },
    );
  }

  /** The call that is heard, or null. */
  get call() {
    return this.#listening.call;
  }

  open() {
    this.#view.showStatus(texts.ready);
    void this.#poll();
    this.#timer = window.setInterval(() => void this.#poll(), POLL_MS);
    const { connection } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator);
    // Most visitors press Listen, so its code is fetched in advance, unless the browser saves data.
    if (!connection?.saveData) window.setTimeout(() => Listening.load().catch(() => {}), 200);
  }

  /** Asks for the room's state while the page isn't listening. */
  async #poll() {
    if (this.#state !== 'idle' || document.hidden) return;
    try {
      const answer = await fetch(`/api/rooms/${encodeURIComponent(this.#address.room)}`);
      const { listeners = null, liveSeconds = null } = answer.ok ? await answer.json() : {};
      if (this.#state !== 'idle') return;
      this.#view.listeners(listeners);
      if (answer.ok || answer.status === 404) this.#invite(answer.ok ? texts.ready : texts.notOpen);
      this.#view.live({
        liveSince: liveSeconds === null ? null : monotonicNow() - 1000 * liveSeconds,
      });
    } catch {
      // The network is gone for now; the next poll may succeed.
    }
  }

  /** @param {string} sentence  for people who haven't pressed Listen */
  #invite(sentence) {
    if (this.#invites === null || this.#invites === sentence) return;
    this.#invites = sentence;
    this.#view.showStatus(sentence);
  }

  #toggle() {
    if (this.#state === 'idle') void this.#start();
    else this.#pause();
  }

  async #start() {
    if (this.#state !== 'idle') return;
    this.#setState('starting');
    this.#invites = null;
    this.#view.showStatus(texts.starting);
    this.#view.offer();
    this.#media.play();
    this.#describe();
    try {
      await this.#listening.start(this.#view.entry);
    } catch {
      this.#stop(texts.loadFailed);
    }
  }

  #pause() {
    if (this.#state === 'idle') return;
    const wasPlaying = this.#state === 'playing';
    // The place is kept, and the hand with it. Without a connection it is lowered on the return.
    if (this.#handRaised) this.#listening.send({ type: 'hand', raised: false });
    void this.#listening.pause();
    this.#stop(wasPlaying ? texts.paused : texts.ready);
    if (wasPlaying) this.#media.rest('paused');
  }

  /** @param {string} sentence */
  #stop(sentence) {
    this.#setState('idle');
    this.#raise(false);
    this.#view.showStatus(sentence);
    this.#view.speaks(null);
    this.#onStage = [];
    this.#view.onStage(null);
    this.#withdraw();
    this.#media.rest('none');
  }

  /** @param {'idle' | 'starting' | 'playing'} state */
  #setState(state) {
    this.#state = state;
    this.#view.button(state);
  }

  /** @param {CallView} call */
  #playing({ people, you }) {
    const isBack = this.#state === 'playing';
    this.#setState('playing');
    this.#media.play();
    this.#view.showStatus(isBack ? texts.resumed : texts.playing);
    const hand = people.find(({ id }) => id === you)?.hand ?? 0;
    // A new place has the hand down. In a kept one a moderator has lowered it.
    if (hand === 0 && you === this.#you) this.#raise(false);
    // A kept one has it up, if a pause could not lower it.
    if (this.#handRaised !== hand > 0)
      this.#listening.send({ type: 'hand', raised: this.#handRaised });
    this.#you = you;
  }

  /** @param {string} code */
  async #failed(code) {
    this.#stop(texts.failed);
    if (code.startsWith('password-')) this.#view.askPassword();
    await this.#explain(code);
  }

  /** @param {ServerMessages['refused']} message */
  async #refused({ of, code }) {
    if (of !== 'language') return;
    this.#languages?.refused();
    await this.#explain(code);
  }

  /** @param {string} code */
  async #explain(code) {
    const { status } = this.#view;
    try {
      const { noticeText } = await import('../texts/failures.js');
      // Something newer may have been said in the meantime.
      if (this.#view.status === status) this.#say(code, noticeText(code));
    } catch {
      // Without a network the present sentence must do.
    }
  }

  /** @param {CallView} now @param {CallView} before */
  #follow(now, before) {
    if (now.state !== before.state || now.away !== before.away) this.#followState(now);
    if (now.access !== before.access) this.#followAccess(now.access);
    if (now.session === 0) return;
    this.#showLanguages(now);
    if (now.people !== before.people || now.listeners !== before.listeners) this.#showPeople(now);
    if (now.recording !== before.recording || now.session !== before.session)
      this.#view.recorded(now.recording?.on ? now.recording.id : null, now.node);
    if (now.isDraining && !before.isDraining) this.#view.showStatus(texts.draining);
  }

  /** @param {CallView} call  loads the choice of languages once somebody interprets */
  #showLanguages(call) {
    if (call.state !== 'joined') return;
    this.#languages?.show(call);
    if (this.#hasLanguages || call.access.rules.languages.length === 0) return;
    this.#hasLanguages = true;
    import('../ui/kit/language-choice.js').then(
      ({ LanguageChoice }) => {
        this.#languages = new LanguageChoice(
          (message) => this.#listening.send(message),
          () => elementOf('listen-button', HTMLButtonElement),
        );
        this.#view.addControl(this.#languages.element);
        if (this.call) this.#showLanguages(this.call.store.value);
      },
      () => (this.#hasLanguages = false),
    );
  }

  /** @param {CallView} call */
  #followState(call) {
    const { state, away, end } = call;
    if (state === 'joined') this.#playing(call);
    else if (away !== null) {
      const isLong = Date.now() - away.since > LONG_MS;
      this.#view.showStatus(isLong ? texts.reconnectingLong : texts.reconnecting);
    } else if (end?.code === 'left') {
      // Left with the page, which the browser has kept and shows again.
      this.#stop(texts.paused);
    } else if (end !== null) void this.#failed(end.code);
  }

  /** @param {CallView} call */
  #showPeople({ people, you, listeners }) {
    this.#onStage = people
      .filter(({ id, away, role }) => id !== you && !away && role !== 'listener')
      .map(({ label }) => label);
    this.#view.onStage(this.#onStage);
    this.#view.listeners(listeners);
    this.#describe();
  }

  #describe() {
    this.#media.describe(this.#address.room, texts.artist(this.#isLive, this.#onStage));
  }

  /** @param {Access} access */
  #followAccess({ waiting, rules, role, stage }) {
    if (waiting) return this.#view.showStatus(texts.waiting);
    if (stage !== '' && stage !== this.#stage) this.#keepStage(stage);
    this.#stage = stage;
    if (this.#rules !== rules) this.#followRules(rules);
    if (role !== 'listener' && !this.#isLeaving) void this.#ontoStage();
    if (role === 'listener' && stage === '' && this.#offersStage) {
      this.#withdraw();
      this.#view.showStatus(texts.playing);
    }
  }

  /** @param {Access['rules']} rules */
  #followRules(rules) {
    const hasEnded = this.#rules?.broadcast === true && !rules.broadcast;
    this.#rules = rules;
    this.#isLive = rules.liveSeconds !== null;
    this.#view.live(rules);
    this.#describe();
    if (!hasEnded) return;
    this.#view.showStatus(texts.broadcastOver);
    if (!this.#address.asks)
      this.#view.offer(build('a', { class: 'button', href: location.pathname }, texts.joinCall));
  }

  /** @param {string} code @param {boolean} holds */
  #notice(code, holds) {
    if (!holds) {
      const { code: last, sentence } = this.#noticed;
      // The status may say something newer.
      if (code === last && this.#view.status === sentence) this.#view.showStatus(texts.playing);
    } else if (Object.hasOwn(NOTICES, code)) {
      this.#say(code, NOTICES[/** @type {keyof typeof NOTICES} */ (code)]);
    } else if (RARE.has(code)) {
      void this.#explain(code);
    }
  }

  /** @param {string} code  of a notice @param {string} sentence */
  #say(code, sentence) {
    this.#noticed = { code, sentence };
    this.#view.showStatus(sentence);
  }

  /** @param {ServerMessages['moderated']} message */
  #moderated({ action }) {
    if (action !== 'hand-lowered') return;
    this.#raise(false);
    this.#view.showStatus(texts.handTaken);
  }

  #toggleHand() {
    if (!this.#listening.send({ type: 'hand', raised: !this.#handRaised })) return;
    this.#raise(!this.#handRaised);
    this.#view.showStatus(this.#handRaised ? texts.handRaised : texts.handLowered);
  }

  /** @param {boolean} raised */
  #raise(raised) {
    this.#handRaised = raised;
    this.#view.hand(raised);
  }

  /** @param {string} key of the broadcast's stage, which a moderator has opened to this listener */
  #keepStage(key) {
    this.#stage = key;
    if (this.#address.isEmbedded) this.#offerRoom();
    else keepStage(this.#address.room, key);
  }

  /** A moderator lets this listener speak: the page becomes that of the call. */
  async #ontoStage() {
    this.#isLeaving = true;
    this.#offersStage = false;
    if (this.#address.isEmbedded) return this.#offerRoom();
    this.#view.showStatus(texts.ontoStage);
    this.#view.offer();
    try {
      const { goOntoStage } = await import('./onto-stage.js');
      await goOntoStage(this.#address.room, () => this.#give());
    } catch (error) {
      console.error(error);
      this.#stageFailed();
    }
  }

  #stageFailed() {
    const call = this.call?.store.value;
    // The call may be over by now, or this person a listener again.
    if (!call || call.access.role === 'listener') {
      this.#isLeaving = false;
      if (call?.state === 'joined') this.#view.showStatus(texts.playing);
      return;
    }
    this.#offersStage = true;
    this.#view.showStatus(texts.stageFailed);
    this.#view.offer(makeButton('button primary', texts.goOnStage, () => void this.#ontoStage()));
  }

  /** Takes the offer of the stage back, if there is one. */
  #withdraw() {
    if (!this.#offersStage) return;
    this.#offersStage = this.#isLeaving = false;
    this.#view.offer();
  }

  /** Hands the call over to another page. */
  #give() {
    const call = this.#listening.give();
    if (call === null) return null;
    clearInterval(this.#timer);
    this.#media.close();
    return call;
  }

  /** A frame gets no microphone, so speaking needs a page of its own. */
  #offerRoom() {
    this.#offersStage = true;
    this.#view.showStatus(texts.stageElsewhere);
    const { pathname } = location;
    const address = stageAddress(
      { pathname, search: '' },
      { token: this.#address.token, stage: this.#stage || undefined },
    );
    const link = build(
      'a',
      { class: 'button primary', href: address ?? pathname, target: '_blank', rel: 'noopener' },
      texts.goOnStage,
    );
    link.addEventListener('click', () => {
      // Keeps the link: the browser follows it only after this.
      this.#offersStage = this.#isLeaving = false;
      void this.#listening.stop();
      this.#stop(texts.ready);
    });
    this.#view.offer(link);
  }
}
