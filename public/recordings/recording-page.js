import { build, elementOf, makeIcon, setText } from '../ui/kit/element.js';
import { icons } from '../ui/kit/icons.js';
import { ChapterList, readChapters } from './chapter-list.js';
import { momentHash, readMoment } from './moment.js';
import { openOverHttp, openPlayer } from './open-player.js';
import { PlayerBar, SKIP_SECONDS } from './player-bar.js';
import { recordingPageTexts as texts } from './texts.js';

/**
 * @import { Player } from './http-player.js'
 *
 * @typedef {object} Description  as the server has it
 * @property {string} id
 * @property {string} room
 * @property {string} startedAt  ISO 8601
 * @property {boolean} on        whether it is being written
 * @property {number} seconds    of the mix, as far as it is written
 * @property {{ file: string, label: string, person: string | null, seconds: number | null, bytes:
 *   number }[]} files
 */

/** The interval at which a recording that runs is looked at, in milliseconds. */
const LOOK_MS = 2000;

/**
 * How far before its end a recording that runs is played live, in seconds: for what is still on its
 * way.
 */
const EDGE_SECONDS = 3;

/** How close to that one is at the edge, in seconds. */
const NEAR_EDGE_SECONDS = 4;

/** The interval at which the position is shown while it plays, in milliseconds. */
const SHOW_MS = 100;

/**
 * The time for which sound is waited for over WebTransport, in milliseconds; after it the recording
 * is played over HTTP.
 */
const PATIENCE_MS = 6000;

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

/** The page of one recording. */
export class RecordingPage {
  #url;
  #id;
  /** @type {Description | null} */
  #description = null;
  /** @type {Player | null} */
  #player = null;
  #speed = 1;
  #bar;
  #chapters;
  #announcer = elementOf('announcer', HTMLElement);
  #notices = elementOf('notices', HTMLElement);
  /** @type {ReturnType<typeof setInterval> | null} */
  #shows = null;
  /** Whether Play was pressed before there was anything to play with. */
  #isWanted = false;
  /** Since when sound is waited for. @type {number | null} */
  #waitsSince = null;
  #isOverHttp = false;
  #events = {
    changed: () => this.#show(),
    failed: (/** @type {unknown} */ error) => this.#failed(error),
  };

  /** @param {string} id */
  constructor(id) {
    this.#id = id;
    this.#url = `/api/recordings/${encodeURIComponent(id)}`;
    this.#bar = new PlayerBar(elementOf('player', HTMLElement), {
      toggle: () => this.#toggle(),
      seek: (seconds) => this.#seek(seconds),
      skip: (seconds) => this.#seek(this.#seconds + seconds),
      speed: (speed) => this.#setSpeed(speed),
      live: () => this.#toLive(),
      copy: () => void this.#copy(),
    });
    this.#chapters = new ChapterList(
      elementOf('chapters', HTMLElement),
      elementOf('no-chapters', HTMLElement),
      (seconds) => this.#seek(seconds),
    );
    document.addEventListener('keydown', (event) => this.#key(event));
    globalThis.addEventListener('hashchange', () => this.#goToHash());
  }

  /** Fetches what there is of the recording, and shows it. */
  async open() {
    const answer = await fetch(this.#url).catch(() => null);
    if (!answer?.ok)
      return this.#notice(
        answer === null ? texts.unreachable : answer.status === 410 ? texts.deleted : texts.missing,
      );
    this.#description = /** @type {Description} */ (await answer.json());
    const { room, startedAt, seconds } = this.#description;
    document.title = texts.title(room);
    setText(elementOf('title', HTMLElement), room);
    setText(elementOf('when', HTMLElement), dateFormat.format(new Date(startedAt)));
    elementOf('recording', HTMLElement).hidden = false;
    this.#showFiles();
    await this.#fetchBeside();
    this.#player = await openPlayer({ id: this.#id, url: this.#url, seconds }, this.#events);
    if (this.#player === null) return this.#notice(texts.cannotPlay);
    this.#mediaSession();
    this.#goToHash();
    this.#show();
    if (this.#isWanted) this.#toggle();
    if (this.#description.on) setTimeout(() => void this.#look(), LOOK_MS);
  }

  /** Looks at a recording that runs: it has grown, or ended. */
  async #look() {
    try {
      const answer = await fetch(this.#url);
      if (answer.status === 410) return this.#notice(texts.deleted);
      if (answer.ok) {
        this.#description = /** @type {Description} */ (await answer.json());
        this.#player?.grown(this.#length);
        await this.#fetchBeside();
        this.#showFiles();
        this.#show();
      }
    } catch {
      // The network is gone for now: the next look may do better.
    }
    if (this.#description?.on) setTimeout(() => void this.#look(), LOOK_MS);
  }

  /** Fetches the waveform, and who spoke when. */
  async #fetchBeside() {
    const [peaks, chapters] = await Promise.all(
      ['peaks.json', 'chapters.vtt'].map((file) =>
        fetch(`${this.#url}/${file}`)
          .then((answer) => (answer.ok ? answer.text() : null))
          .catch(() => null),
      ),
    );
    this.#bar.waveform.show(this.#length, peaks === null ? undefined : JSON.parse(peaks));
    this.#chapters.show(readChapters(chapters ?? ''));
  }

  get #length() {
    return this.#description?.seconds ?? 0;
  }

  get #seconds() {
    return this.#player?.seconds ?? 0;
  }

  /** The last moment that can be played. */
  get #end() {
    return this.#description?.on ? Math.max(0, this.#length - EDGE_SECONDS) : this.#length;
  }

  #toggle() {
    const player = this.#player;
    if (player === null) this.#isWanted = true;
    else if (player.playing) player.pause();
    else {
      this.#clearNotice();
      if (player.seconds >= this.#length && !this.#description?.on) player.seek(0);
      player.play().catch((error) => this.#failed(error));
    }
  }

  /** @param {number} seconds */
  #seek(seconds) {
    this.#player?.seek(Math.min(this.#end, Math.max(0, seconds)));
    this.#show();
  }

  #toLive() {
    this.#seek(this.#end);
    if (!this.#player?.playing) this.#toggle();
  }

  /** @param {number} speed */
  #setSpeed(speed) {
    this.#speed = speed;
    this.#player?.setSpeed(speed);
  }

  #goToHash() {
    const moment = readMoment(location.hash);
    if (moment !== null) this.#seek(moment);
  }

  async #copy() {
    const at = this.#seconds;
    history.replaceState(null, '', momentHash(at));
    try {
      await navigator.clipboard.writeText(location.href);
      setText(this.#announcer, texts.copied(at));
    } catch {
      setText(this.#announcer, texts.notCopied);
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { target, key } = event;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (
      target instanceof Element &&
      target.closest('button, select, input, a') &&
      (key === ' ' || key === 'Enter')
    )
      return;
    if (target instanceof HTMLSelectElement) return;
    if (key === ' ' || key === 'k') this.#toggle();
    else if (key === 'ArrowLeft') this.#seek(this.#seconds - SKIP_SECONDS / 2);
    else if (key === 'ArrowRight') this.#seek(this.#seconds + SKIP_SECONDS / 2);
    else return;
    event.preventDefault();
  }

  /** Plays over HTTP what doesn't come over WebTransport. @returns {boolean} whether that can be */
  #playOverHttp() {
    const before = this.#player;
    const player = this.#isOverHttp
      ? null
      : openOverHttp({ url: this.#url, seconds: this.#length }, this.#events);
    if (!before || !player) return false;
    this.#isOverHttp = true;
    this.#waitsSince = null;
    const { seconds, playing } = before;
    this.#player = null;
    before.close();
    player.setSpeed(this.#speed);
    player.seek(seconds);
    this.#player = player;
    if (playing) player.play().catch((error) => this.#failed(error));
    return true;
  }

  /** Shows where it is; again and again while it plays. */
  #show() {
    const player = this.#player;
    if (!player) return;
    const { playing, waiting, seconds, via } = player;
    this.#waitsSince = waiting ? (this.#waitsSince ?? performance.now()) : null;
    if (
      this.#waitsSince !== null &&
      performance.now() - this.#waitsSince > PATIENCE_MS &&
      this.#playOverHttp()
    )
      return;
    this.#bar.show({ playing, waiting, seconds, length: Math.max(seconds, this.#length), via });
    this.#bar.running(this.#description?.on === true, seconds > this.#end - NEAR_EDGE_SECONDS);
    this.#chapters.at(seconds);
    this.#tellSystem(player);
    if (playing && this.#shows === null) this.#shows = setInterval(() => this.#show(), SHOW_MS);
    if (playing || this.#shows === null) return;
    clearInterval(this.#shows);
    this.#shows = null;
  }

  #showFiles() {
    const { files = [], on } = this.#description ?? {};
    const whole = on ? [] : files;
    const rows = whole.map(({ file, label, person, bytes }) =>
      fileRow(
        `${this.#url}/${encodeURIComponent(file)}`,
        file,
        person === null ? texts.mix : label,
        texts.size(bytes),
      ),
    );
    if (whole.some(({ person }) => person === null))
      rows.splice(1, 0, fileRow(`${this.#url}/mix.webm`, 'mix.webm', texts.mixAsWebm, ''));
    if (on) rows.push(build('li', { class: 'hint' }, texts.running));
    elementOf('files', HTMLElement).replaceChildren(...rows);
  }

  /** Has the system's own controls act on the player. */
  #mediaSession() {
    const { mediaSession } = navigator;
    if (!mediaSession) return;
    mediaSession.metadata = new MediaMetadata({
      title: this.#description?.room ?? '',
      artist: 'aloud',
    });
    const handlers = /** @type {[MediaSessionAction, MediaSessionActionHandler][]} */ ([
      ['play', () => !this.#player?.playing && this.#toggle()],
      ['pause', () => this.#player?.playing && this.#toggle()],
      ['seekbackward', ({ seekOffset = SKIP_SECONDS }) => this.#seek(this.#seconds - seekOffset)],
      ['seekforward', ({ seekOffset = SKIP_SECONDS }) => this.#seek(this.#seconds + seekOffset)],
      ['seekto', ({ seekTime = 0 }) => this.#seek(seekTime)],
    ]);
    for (const [action, handler] of handlers) mediaSession.setActionHandler(action, handler);
  }

  /** @param {Player} player */
  #tellSystem({ playing, seconds }) {
    const { mediaSession } = navigator;
    if (!mediaSession) return;
    mediaSession.playbackState = playing ? 'playing' : 'paused';
    const duration = Math.max(seconds, this.#length);
    if (duration > 0)
      mediaSession.setPositionState?.({ duration, position: seconds, playbackRate: this.#speed });
  }

  /** @param {unknown} error */
  #failed(error) {
    if (this.#playOverHttp()) return;
    console.warn("the recording can't be played:", error);
    this.#notice(texts.failed);
    this.#show();
  }

  /** @param {string} sentence */
  #notice(sentence) {
    this.#notices.replaceChildren(
      build('div', { class: 'notice' }, build('p', { class: 'notice-says' }, sentence)),
    );
  }

  #clearNotice() {
    this.#notices.replaceChildren();
  }
}

/**
 * @param {string} href
 * @param {string} file
 * @param {string} name
 * @param {string} size
 */
function fileRow(href, file, name, size) {
  return build(
    'li',
    {},
    build(
      'a',
      { href, download: file, class: 'file' },
      makeIcon(icons.download),
      build('span', {}, name),
    ),
    build('span', { class: 'hint' }, size),
  );
}
