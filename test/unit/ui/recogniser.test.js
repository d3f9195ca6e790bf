import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_CAPTION_LENGTH } from '../../../public/shared/limits.js';
import { NO_CALL } from '../../../public/client/call/call-view.js';
import { Store } from '../../../public/client/call/store.js';
import { captionTexts } from '../../../public/texts/features.js';
import { OwnCaptions } from '../../../public/ui/captions/own-captions.js';
import { captionsOf, Recogniser, recognitionOf } from '../../../public/ui/captions/recogniser.js';
import { Translation } from '../../../public/ui/captions/translation.js';

/** Stands in for the browser's recogniser. */
class Recognition {
  /** @type {any[]} */
  static started = [];
  static available = async () => 'available';
  static install = async () => true;
  get processLocally() {
    return true;
  }
  set processLocally(isLocal) {
    if (!isLocal) throw new Error('not local');
  }
  /** @param {unknown} track */
  start(track) {
    Recognition.started.push(Object.assign(this, { track }));
  }
  abort() {}
}

const track = /** @type {any} */ ({ readyState: 'live' });

/** @param {{ track?: () => any }} [options] */
function openRecogniser(options) {
  /** @type {unknown[]} */
  const said = [];
  const failed = vi.fn();
  const recogniser = new Recogniser({
    Recognition: /** @type {any} */ (Recognition),
    lang: 'en-GB',
    track: () => track,
    said: (text, final, seconds) => void said.push([text, final, seconds]),
    failed,
    ...options,
  });
  const hear = (/** @type {string} */ transcript, isFinal = false) =>
    Recognition.started.at(-1).onresult({
      results: [Object.assign([{ transcript }], { isFinal })],
      resultIndex: 0,
    });
  return { recogniser, said, failed, hear };
}

beforeEach(() => {
  vi.useFakeTimers();
  Recognition.started = [];
});
afterEach(() => vi.useRealTimers());

describe('the browser’s recogniser', () => {
  it('is used only where it works on the device', () => {
    class Remote {}
    expect(recognitionOf({})).toBe(null);
    expect(recognitionOf({ webkitSpeechRecognition: /** @type {any} */ (Remote) })).toBe(null);
    const scope = { webkitSpeechRecognition: /** @type {any} */ (Recognition) };
    expect(recognitionOf(scope)).toBe(Recognition);
  });

  it('writes whole captions at once, and changing ones at most every 1.5 s', () => {
    const { said, hear } = openRecogniser();
    expect(Recognition.started[0]).toMatchObject({ track, lang: 'en-GB', continuous: true });
    vi.advanceTimersByTime(2000);
    hear('good');
    vi.advanceTimersByTime(1000);
    hear('good mor');
    vi.advanceTimersByTime(500);
    hear('good morning');
    hear('Good morning', true);
    expect(said).toEqual([
      ['good', false, 0],
      ['good morning', false, 1.5],
      ['Good morning', true, 1.5],
    ]);
  });

  it('is started again when it ends, and not after stop()', () => {
    const { recogniser } = openRecogniser();
    Recognition.started[0].onend();
    vi.advanceTimersByTime(500);
    expect(Recognition.started).toHaveLength(2);
    recogniser.stop();
    vi.advanceTimersByTime(5000);
    expect(Recognition.started).toHaveLength(2);
  });

  it('waits for a microphone', () => {
    let current = /** @type {any} */ (null);
    openRecogniser({ track: () => current });
    expect(Recognition.started).toEqual([]);
    current = track;
    vi.advanceTimersByTime(500);
    expect(Recognition.started).toHaveLength(1);
  });

  it('is given up once the browser refuses, and not for a pause', () => {
    const { failed } = openRecogniser();
    Recognition.started[0].onerror({ error: 'no-speech' });
    expect(failed).not.toHaveBeenCalled();
    Recognition.started[0].onerror({ error: 'service-not-allowed' });
    expect(failed).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(5000);
    expect(Recognition.started).toHaveLength(1);
  });
});

describe('a long text', () => {
  it('becomes captions that end between words', () => {
    const text = 'word '.repeat(100).trim();
    const parts = captionsOf(text);
    expect(parts.join(' ')).toBe(text);
    for (const part of parts) expect([...part].length).toBeLessThanOrEqual(MAX_CAPTION_LENGTH);
    expect(captionsOf('𝄞'.repeat(300)).map((part) => [...part].length)).toEqual([240, 60]);
    expect(captionsOf('  ')).toEqual([]);
  });
});

describe('a translation', () => {
  it('is of other languages only, by one translator each, and may fail', async () => {
    const create = vi.fn(async ({ sourceLanguage, targetLanguage }) => {
      if (sourceLanguage === 'xx') throw new Error('unknown');
      return { translate: async (/** @type {string} */ text) => `${targetLanguage} ${text}` };
    });
    const translation = new Translation({ Translator: { create } });
    expect(await translation.of('Hello', 'en-GB')).toBe('Hello');
    translation.target = 'de';
    expect(await translation.of('Hello', 'en-GB')).toBe('de Hello');
    expect(await translation.of('Bye', 'en-US')).toBe('de Bye');
    expect(create).toHaveBeenCalledOnce();
    expect(await translation.of('Hallo', 'de-AT')).toBe('Hallo');
    expect(await translation.of('?', 'xx')).toBe(null);
    expect(new Translation({}).offered).toBe(false);
  });
});

describe('one’s own captions', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('are not said to be written if the browser can’t start to recognise', async () => {
    class Broken extends Recognition {
      /** @override */
      start() {
        throw new Error('no such track');
      }
    }
    vi.stubGlobal('SpeechRecognition', Broken);
    vi.stubGlobal('navigator', { language: 'en-GB' });
    const access = { ...NO_CALL.access, may: ['speak'] };
    const captions = { on: true, writer: null };
    const store = new Store({ ...NO_CALL, state: 'joined', captions, access });
    /** @type {string[]} */
    const shown = [];
    const page = {
      current: { store, call: { microphoneTrack: track }, send: () => true },
      own: { store: new Store({ muted: false }) },
      notices: {
        show: (/** @type {string} */ _code, /** @type {{ sentence: string }} */ { sentence }) =>
          void shown.push(sentence),
        settle: () => {},
      },
    };
    new OwnCaptions(/** @type {any} */ (page));
    await vi.waitFor(() => expect(shown).not.toEqual([]));
    expect(shown).toEqual([captionTexts.failed]);
  });
});
