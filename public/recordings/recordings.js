import { build, elementOf, makeIcon, setText } from '../ui/kit/element.js';
import { icons } from '../ui/kit/icons.js';
import { ChapterList, readChapters } from './chapter-list.js';
import { HttpPlayer } from './http-player.js';
import { direction, language, locale } from '../texts/language.js';
import { errorPageTexts, recordingPageTexts as texts } from '../texts/pages.js';
import { sizeText } from '../texts/units.js';
import { momentHash, readMoment } from './moments.js';
import { PlayerBar, SKIP_SECONDS } from './player-bar.js';

/**
 * @import { Player, PlayerEvents } from './http-player.js'
 * @import { TranscriptList } from './transcript-list.js'
 *
 * @typedef {object} Description  the server's
 * @property {string} id
 * @property {string} room
 * @property {string} startedAt  ISO 8601
 * @property {boolean} on        true when it is being written
 * @property {number} seconds    of the mix written so far
 * @property {boolean} [transcript]  true if captions were kept
 * @property {{ file: string, label: string, person: string | null, seconds: number | null, bytes:
 *   number }[]} files
 */

/** Reasons for a missing recording, by HTTP status. @type {Map<number | undefined, string>} */
const REASONS = new Map([
  [403, errorPageTexts.reasons.banned],
  [404, texts.missing],
  [410, texts.deleted],
]);

/** Interval of checks of a growing recording, in milliseconds. */
const POLL_MS = 2000;

/**
 * Distance from the end at which a growing recording plays live, in seconds: for sound not written
 * yet.
 */
const EDGE_SECONDS = 3;

/** Distance from the end that counts as live, in seconds. */
const NEAR_EDGE_SECONDS = 4;

/** Interval of showing the position during playback, in milliseconds. */
const SHOW_MS = 100;

/**
 * Longest wait for sound over WebTransport, in milliseconds; after it the recording plays over
 * HTTP.
 */
const PATIENCE_MS = 6000;

const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' });

/** The page of one recording. */
class RecordingPage {
  #url;
  #id;
  /** @type {Description | null} */
  #description = null;
  /** @type {Player | null} */
  #player = null;
  #speed = 1;
  #bar;
  #chapters;
  /** Null while there is none. @type {TranscriptList | null} */
  #transcript = null;
  #announcer = elementOf('announcer', HTMLElement);
  #notices = elementOf('notices', HTMLElement);
  /** @type {ReturnType<typeof setInterval> | null} */
  #shows = null;
  /** True when Play was pressed before a player existed. */
  #isWanted = false;
  /** Moment that was chosen before then, in seconds. @type {number | null} */
  #wantedSeconds = null;
  /** Start of the present wait for sound. @type {number | null} */
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

  /** Fetches and shows the recording. */
  async open() {
    const answer = await fetch(this.#url).catch(() => null);
    if (!answer?.ok) return this.#notice(REASONS.get(answer?.status) ?? texts.unreachable);
    this.#description = /** @type {Description} */ (await answer.json());
    const { room, startedAt, seconds } = this.#description;
    document.title = texts.title(room);
    setText(elementOf('title', HTMLElement), room);
    setText(elementOf('when', HTMLElement), dateFormat.format(new Date(startedAt)));
    elementOf('recording', HTMLElement).hidden = false;
    this.#showFiles();
    await this.#fetchBeside();
    const player = await openPlayer({ id: this.#id, url: this.#url, seconds }, this.#events);
    if (player === null) return this.#notice(texts.cannotPlay);
    this.#player = player;
    this.#isOverHttp = player instanceof HttpPlayer;
    player.setSpeed(this.#speed);
    this.#mediaSession();
    if (this.#wantedSeconds === null) this.#goToHash();
    else this.#seek(this.#wantedSeconds);
    this.#show();
    if (this.#isWanted) this.#toggle();
    if (this.#description.on) setTimeout(() => void this.#poll(), POLL_MS);
  }

  /** Checks a growing recording for new sound, or its end. */
  async #poll() {
    try {
      const answer = await fetch(this.#url);
      const reason = REASONS.get(answer.status);
      if (reason !== undefined) return this.#notice(reason);
      if (answer.ok) {
        this.#description = /** @type {Description} */ (await answer.json());
        this.#player?.grown(this.#length);
        await this.#fetchBeside();
        this.#showFiles();
        this.#show();
      }
    } catch {
      // The network is gone for now: the next check may do better.
    }
    if (this.#description?.on) setTimeout(() => void this.#poll(), POLL_MS);
  }

  /** Fetches the waveform and the list of speakers. */
  async #fetchBeside() {
    const text = (/** @type {string} */ file) =>
      fetch(`${this.#url}/${file}`)
        .then((answer) => (answer.ok ? answer.text() : null))
        .catch(() => null);
    const [peaks, chapters] = await Promise.all(['peaks.json', 'chapters.vtt'].map(text));
    this.#bar.waveform.show(this.#length, peaks === null ? undefined : JSON.parse(peaks));
    this.#chapters.show(readChapters(chapters ?? ''));
    const transcript = this.#description?.transcript ? await text('transcript.vtt') : null;
    // Without its code the recording plays all the same.
    if (transcript !== null) await this.#showTranscript(transcript).catch(console.warn);
  }

  /** @param {string} vtt */
  async #showTranscript(vtt) {
    if (this.#transcript === null) {
      const { TranscriptList } = await import('./transcript-list.js');
      this.#transcript ??= new TranscriptList((seconds) => this.#seek(seconds));
      elementOf('recording', HTMLElement).append(this.#transcript.element);
    }
    this.#transcript.show(vtt);
  }

  get #length() {
    return this.#description?.seconds ?? 0;
  }

  get #seconds() {
    return this.#player?.seconds ?? this.#wantedSeconds ?? 0;
  }

  /** Last playable moment. */
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
    const to = Math.min(this.#end, Math.max(0, seconds));
    if (this.#player) this.#player.seek(to);
    else this.#wantedSeconds = to;
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
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) return;
    if (key === ' ' || key === 'k') this.#toggle();
    else if (key === 'ArrowLeft') this.#seek(this.#seconds - SKIP_SECONDS / 2);
    else if (key === 'ArrowRight') this.#seek(this.#seconds + SKIP_SECONDS / 2);
    else return;
    event.preventDefault();
  }

  /**
   * Switches to HTTP when WebTransport brings no sound. @returns {boolean} true when that is
   * possible
   */
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

  /** Shows the position, repeatedly during playback. */
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
    this.#updateMediaSession(player);
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
        sizeText(bytes),
      ),
    );
    if (whole.some(({ person }) => person === null))
      rows.splice(1, 0, fileRow(`${this.#url}/mix.webm`, 'mix.webm', texts.mixAsWebm, ''));
    if (!on && this.#description?.transcript)
      rows.push(
        fileRow(`${this.#url}/transcript.vtt`, 'transcript.vtt', texts.transcriptAsFile, ''),
      );
    if (on) rows.push(build('li', { class: 'hint' }, texts.running));
    elementOf('files', HTMLElement).replaceChildren(...rows);
  }

  /** Connects the system's media controls to the player. */
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
  #updateMediaSession({ playing, seconds }) {
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
      build('span', { dir: 'auto' }, name),
    ),
    build('span', { class: 'hint', dir: 'ltr' }, size),
  );
}

/**
 * Opens a player: over WebTransport if available, otherwise over HTTP. In the page's address
 * `?via=http` forces HTTP, and `?rule=` selects another rule for the server's choice of rates; both
 * are for comparison.
 * @param {{ id: string, url: string, seconds: number }} recording
 * @param {PlayerEvents} events
 * @returns {Promise<Player | null>} null when nothing can play it
 */
async function openPlayer({ id, url, seconds }, events) {
  const query = new URLSearchParams(location.search);
  const overHttp = () => openOverHttp({ url, seconds }, events);
  if (query.get('via') === 'http') return overHttp();
  try {
    return (await openSegmentPlayer(id, query.get('rule') ?? undefined, events)) ?? overHttp();
  } catch (error) {
    console.info('the recording is played over HTTP:', error);
    return overHttp();
  }
}

/**
 * @param {{ url: string, seconds: number }} recording
 * @param {PlayerEvents} events
 * @returns {Player | null} null when the browser plays none of its files
 */
const openOverHttp = ({ url, seconds }, events) =>
  HttpPlayer.playable ? new HttpPlayer(url, seconds, events) : null;

/**
 * @param {string} id
 * @param {string | undefined} rule
 * @param {PlayerEvents} events
 * @returns {Promise<Player | null>} null without WebTransport in the server or the browser
 */
async function openSegmentPlayer(id, rule, events) {
  const { SegmentPlayer } = await import('./segment-player.js');
  if (!SegmentPlayer.playable) return null;
  const { transports } = await (await fetch('/api/config')).json();
  const {
    host = location.hostname,
    recordings,
    port,
    certificateHashes,
  } = transports.webtransport ?? {};
  if (!recordings) return null;
  const url = `https://${host}:${port}${recordings}?id=${encodeURIComponent(id)}`;
  return SegmentPlayer.open({ url, hashes: certificateHashes, rule }, events);
}

Object.assign(document.documentElement, { lang: language, dir: direction });
setText(elementOf('chapters-title', HTMLElement), texts.chapters);
setText(elementOf('no-chapters', HTMLElement), texts.noChapters);
setText(elementOf('files-title', HTMLElement), texts.files);
const [, , id = ''] = location.pathname.split('/');
void new RecordingPage(decodeURIComponent(id)).open();
