/**
 * A person's last choices: name, devices, connection, switches. Only the browser stores them, in
 * `localStorage`. If it may not (a private window, a setting), they last as long as the page.
 */

import { ROOM_FRAME_MS } from '../../shared/sound/audio-format.js';

const KEY = 'aloud.choices';

/**
 * Bit rate of this person's stream with Music or a higher bit rate, in b/s for each channel: Opus
 * is transparent from here on.
 */
const HIGH_BITRATE = 96_000;

/** The switches' values before a person changes them. */
export const defaultSwitches = Object.freeze({
  echoCancellation: true,
  noiseSuppression: true,
  noiseModel: false,
  autoGainControl: true,
  music: false,
  stereo: false,
  highBitrate: false,
  lossless: false,
  lowDelay: true,
  sounds: true,
  captions: false,
  shortcuts: true,
});

/**
 * @typedef {{ -readonly [K in keyof typeof defaultSwitches]: boolean }} Switches
 * @typedef {{ name?: string, microphone?: string, speaker?: string, transport?: string, frameMs?:
 *   string, language?: string }} Words
 * @typedef {Words & Partial<Switches>} Choices
 */

/** @type {readonly (keyof Words)[]} */
const WORDS = ['name', 'microphone', 'speaker', 'transport', 'frameMs', 'language'];

/** The choices, while the browser doesn't store them. @type {Choices | null} */
let unstored = null;

/** @returns {Words & Switches} stored words, undefined for missing ones, and every switch */
export function readChoices() {
  const kept = readKept();
  /** @type {Record<string, unknown>} */
  const choices = {};
  for (const key of WORDS) choices[key] = typeof kept[key] === 'string' ? kept[key] : undefined;
  for (const [key, fallback] of Object.entries(defaultSwitches)) {
    choices[key] = typeof kept[key] === 'boolean' ? kept[key] : fallback;
  }
  return /** @type {Words & Switches} */ (choices);
}

/** @returns {Record<string, unknown>} */
function readKept() {
  if (unstored) return unstored;
  try {
    return Object(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
  } catch {
    return {};
  }
}

/**
 * @param {Choices} choices replace stored ones of the same names
 * @returns {boolean} false when they last as long as the page
 */
export function keepChoices(choices) {
  const all = { ...readChoices(), ...choices };
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
    unstored = null;
  } catch {
    unstored = all;
  }
  return unstored === null;
}

/**
 * The sound of a room that begins with this person, by their choices, and whether they want PCM.
 * @param {Words & Switches} choices
 */
export const roomSoundOf = ({ frameMs, stereo, lossless }) => ({
  channels: stereo ? /** @type {const} */ (2) : undefined,
  frameMs: ROOM_FRAME_MS.find((ms) => String(ms) === frameMs),
  pcm: lossless ? /** @type {const} */ (16) : undefined,
});

/**
 * Options of this person's sound by their choices.
 * @param {Omit<Words & Switches, 'frameMs'>} switches
 * @param {boolean} processing false leaves the microphone's sound as it is, whatever the switches
 *   say
 */
export function soundOf(switches, processing = true) {
  const clean = processing && !switches.music;
  const suppresses = clean && switches.noiseSuppression;
  return {
    echoCancellation: clean && switches.echoCancellation,
    noiseSuppression: suppresses && !switches.noiseModel,
    noiseModel: suppresses && switches.noiseModel,
    autoGainControl: clean && switches.autoGainControl,
    bitrate: switches.music || switches.highBitrate ? HIGH_BITRATE : undefined,
    application: /** @type {'low-delay' | 'audio'} */ (switches.lowDelay ? 'low-delay' : 'audio'),
  };
}
