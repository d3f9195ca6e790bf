import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  defaultSwitches,
  keepChoices,
  readChoices,
  roomSoundOf,
  soundOf,
} from '../../../public/ui/settings/choices.js';
import { Devices, newOf } from '../../../public/ui/settings/devices.js';
import { followKeys, keyAction } from '../../../public/ui/call/keys.js';

describe('choices', () => {
  afterEach(() => vi.unstubAllGlobals());

  const storage = (/** @type {string | null} */ kept) => {
    const items = new Map([['aloud.choices', kept]]);
    vi.stubGlobal('localStorage', {
      getItem: (/** @type {string} */ key) => items.get(key) ?? null,
      setItem: (/** @type {string} */ key, /** @type {string} */ value) => items.set(key, value),
    });
  };

  it('are kept separately', () => {
    storage(null);
    keepChoices({ name: 'Anna', transport: 'websocket' });
    keepChoices({ name: 'Ben' });
    expect(readChoices()).toEqual({ ...defaultSwitches, name: 'Ben', transport: 'websocket' });
  });

  it.each(['{', 'null', '7', '[]', '{"name":{"a":1}}'])('are none when %s was kept', (kept) => {
    storage(kept);
    expect(readChoices()).toEqual(defaultSwitches);
  });

  it('last as long as the page where the browser keeps nothing', () => {
    vi.stubGlobal('localStorage', {
      getItem() {
        throw new Error('denied');
      },
      setItem() {
        throw new Error('denied');
      },
    });
    expect(readChoices()).toEqual(defaultSwitches);
    keepChoices({ name: 'Anna' });
    keepChoices({ music: true });
    expect(readChoices()).toEqual({ ...defaultSwitches, name: 'Anna', music: true });
    storage(null);
    keepChoices({ music: false });
    storage(null);
    expect(readChoices()).toEqual(defaultSwitches);
  });

  it('of switches are kept, and others than true and false are not believed', () => {
    storage('{"music":true,"sounds":0,"echoCancellation":"no"}');
    expect(readChoices()).toEqual({ ...defaultSwitches, music: true });
  });

  it('leave sound as it is for music, or where the address asks for it', () => {
    const on = {
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      noiseModel: false,
    };
    const off = {
      echoCancellation: false,
      noiseSuppression: false,
      autoGainControl: false,
      noiseModel: false,
    };
    expect(soundOf(defaultSwitches)).toEqual({
      ...on,
      bitrate: undefined,
      application: 'low-delay',
    });
    expect(soundOf({ ...defaultSwitches, music: true })).toEqual({
      ...off,
      bitrate: 96000,
      application: 'low-delay',
    });
    expect(soundOf({ ...defaultSwitches, lowDelay: false }, false)).toEqual({
      ...off,
      bitrate: undefined,
      application: 'audio',
    });
    expect(
      ['2.5', '20', '40', '', undefined].map(
        (frameMs) => roomSoundOf({ ...defaultSwitches, frameMs }).frameMs,
      ),
    ).toEqual([2.5, 20, undefined, undefined, undefined]);
    expect(roomSoundOf({ ...defaultSwitches, stereo: true }).channels).toBe(2);
    expect(
      soundOf({ ...defaultSwitches, noiseSuppression: false, highBitrate: true }),
    ).toMatchObject({
      ...on,
      noiseSuppression: false,
      bitrate: 96000,
    });
  });

  it('have the noise model in place of the browser’s suppression, never with music', () => {
    const chosen = { ...defaultSwitches, noiseModel: true };
    expect(soundOf(chosen)).toMatchObject({ noiseModel: true, noiseSuppression: false });
    for (const [switches, processing] of /** @type {const} */ ([
      [{ ...chosen, noiseSuppression: false }, true],
      [{ ...chosen, music: true }, true],
      [chosen, false],
    ])) {
      expect(soundOf(switches, processing)).toMatchObject({
        noiseModel: false,
        noiseSuppression: false,
      });
    }
  });
});

const device = (/** @type {string} */ deviceId, label = `device ${deviceId}`) => ({
  deviceId,
  label,
});

it('devices are those of the last request, if an earlier one is answered later', async () => {
  /** @type {((devices: object[]) => void)[]} */
  const answers = [];
  const enumerateDevices = () => new Promise((resolve) => answers.push(resolve));
  vi.stubGlobal('navigator', { mediaDevices: { addEventListener() {}, enumerateDevices } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const listed = vi.fn();
  const devices = new Devices({ listed, came() {} });
  const lists = [devices.list(), devices.list()];
  const answer = (/** @type {string} */ id) =>
    answers.splice(-2).forEach((resolve) => resolve([{ ...device(id), kind: 'audioinput' }]));
  answer('new');
  answer('old');
  await Promise.all(lists);
  expect(listed.mock.calls).toEqual([[[device('new')], []]]);
});

describe('a device that comes', () => {
  it('is announced when it wasn’t there before', () => {
    expect(newOf([device('a')], [device('a'), device('b')])).toEqual(device('b'));
    expect(newOf([device('a')], [device('a')])).toBeNull();
    expect(newOf([device('a'), device('b')], [device('b')])).toBeNull();
  });

  it('isn’t announced if it is the first, which is used automatically', () => {
    expect(newOf([], [device('a')])).toBeNull();
  });

  it('is not told of before the browser tells devices apart, nor when it does so first', () => {
    expect(newOf([device('', '')], [device('a'), device('b')])).toBeNull();
    expect(newOf([device('a')], [device('a'), device('b', '')])).toBeNull();
  });

  it('is none that only stands for another', () => {
    expect(
      newOf([device('a')], [device('default'), device('communications'), device('a')]),
    ).toBeNull();
  });
});

describe('keys', () => {
  const on = (/** @type {string[]} */ ...kinds) => ({
    closest: (/** @type {string} */ selector) =>
      kinds.some((kind) => selector.split(', ').some((one) => one.startsWith(kind))),
  });
  const press = (/** @type {string} */ key, /** @type {object} */ more = {}) =>
    keyAction({ key, target: on(), ...more });

  it('mute, raise the hand, open the chat, and let one talk', () => {
    expect(['m', 'M', 'h', 'c', ' ', 'x', 'Enter', 'constructor'].map((key) => press(key))).toEqual(
      ['mute', 'mute', 'hand', 'chat', 'talk', null, null, null],
    );
  });

  it('are those places on a keyboard that has other letters there', () => {
    const pressed = [
      ['ة', 'KeyM'],
      ['ь', 'KeyM'],
      ['Η', 'KeyH'],
      ['؟', 'Slash'],
      ['ö', 'KeyC'],
      [',', 'KeyM'],
    ].map(([key, code]) => press(key, { code }));
    expect(pressed).toEqual(['mute', 'mute', 'hand', 'help', null, null]);
  });

  it('let one talk until Space is released, or Command, which hides that on macOS', () => {
    const page = new EventTarget();
    vi.stubGlobal('document', page);
    vi.stubGlobal('addEventListener', () => {});
    onTestFinished(() => void vi.unstubAllGlobals());
    /** @type {boolean[]} */
    const talks = [];
    const rest = { mute() {}, hand() {}, chat() {}, help() {} };
    followKeys({ ...rest, active: () => true, talk: (talking) => void talks.push(talking) });
    const key = (/** @type {string} */ type, /** @type {string} */ name) =>
      page.dispatchEvent(Object.assign(new Event(type), { key: name }));
    key('keydown', ' ');
    key('keyup', ' ');
    key('keydown', ' ');
    key('keydown', 'Meta');
    key('keyup', 'Meta');
    expect(talks).toEqual([true, false, true, false]);
  });

  it('do nothing with a modifier, in an input method, and while somebody types', () => {
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'isComposing'])
      expect(press('m', { [modifier]: true })).toBeNull();
    for (const field of ['input', 'textarea', 'select', 'dialog'])
      expect(press('m', { target: on(field) })).toBeNull();
  });

  it('leave Space to a button that has the focus, and nothing else', () => {
    expect(press(' ', { target: on('button') })).toBeNull();
    expect(press('m', { target: on('button') })).toBe('mute');
  });
});
