import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallMicrophone } from '../../../../public/client/capture/microphone.js';
import { OutputDevice } from '../../../../public/client/playout/output-device.js';
import { RunningContext } from '../../../../public/client/call/sound-graph.js';
import { noticeText } from '../../../../public/texts/texts.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

class FakeTrack {
  readyState = 'live';
  muted = false;
  /** @type {(() => void) | null} */ onended = null;
  /** @type {(() => void) | null} */ onmute = null;
  /** @type {(() => void) | null} */ onunmute = null;
  constructor(/** @type {string} */ deviceId) {
    this.deviceId = deviceId;
  }
  getSettings = () => ({ deviceId: this.deviceId });
  stop = () => void (this.readyState = 'ended');
  /** Its device is unplugged. */
  end() {
    this.readyState = 'ended';
    this.onended?.();
  }
}

/**
 * The devices of a computer, which a test plugs in and out; the first of a kind is the default one.
 */
class FakeDevices extends EventTarget {
  /** @type {FakeTrack[]} */
  tracks = [];
  refuses = false;
  asked = 0;
  /** Number of microphones that were open when another was asked for. */
  overlaps = 0;

  constructor(/** @type {string[]} */ ids, kind = 'audioinput') {
    super();
    this.ids = ids;
    this.kind = kind;
  }

  enumerateDevices = async () =>
    this.ids.map((deviceId) => ({ kind: this.kind, deviceId, label: deviceId }));

  getUserMedia = async (/** @type {any} */ { audio }) => {
    this.asked += 1;
    if (this.tracks.some(({ readyState }) => readyState === 'live')) this.overlaps += 1;
    if (this.refuses) throw Object.assign(new Error('no'), { name: 'NotAllowedError' });
    const id = audio.deviceId?.exact ?? this.ids[0];
    if (id === undefined || !this.ids.includes(id))
      throw Object.assign(new Error('none'), { name: 'NotFoundError' });
    const track = new FakeTrack(id);
    this.tracks.push(track);
    return { id, getTracks: () => [track], getAudioTracks: () => [track] };
  };

  /** @param {string[]} ids */
  async change(...ids) {
    this.ids = ids;
    this.dispatchEvent(new Event('devicechange'));
    await settled();
  }
}

const settled = () => new Promise((resolve) => void setTimeout(resolve, 0));

/** @type {{ close: () => void }[]} */
const open = [];
afterEach(() => open.splice(0).forEach((each) => each.close()));

describe('CallMicrophone', () => {
  /** @param {string[]} ids */
  function setUp(...ids) {
    const clock = new FakeClock();
    const devices = new FakeDevices(ids);
    /** @type {string[]} */
    const events = [];
    /** @type {{ heard: string | null }} */
    const call = { heard: null };
    const microphone = new CallMicrophone({
      processing: () => ({}),
      capture: async (stream) => void (call.heard = stream.id),
      release: () => void (call.heard = null),
      notice: (code) => void events.push(code),
      settle: (code) => void events.push(`-${code}`),
      devices: /** @type {any} */ (devices),
      clock,
    });
    open.push(microphone);
    return { clock, devices, events, call, microphone };
  }

  it('is replaced by the default when unplugged, and used again when it comes back', async () => {
    const { clock, devices, events, call, microphone } = setUp('inner', 'headset');
    await microphone.open('headset');
    expect(call.heard).toBe('headset');
    clock.advance(60_000);
    devices.ids = ['inner'];
    devices.tracks[0].end();
    await settled();
    expect([call.heard, microphone.captured]).toEqual(['inner', true]);
    expect(events).toEqual(['microphone-replaced']);
    await devices.change('inner', 'camera');
    expect(call.heard).toBe('inner');
    await devices.change('inner', 'camera', 'headset');
    expect(call.heard).toBe('headset');
    expect(events).toEqual(['microphone-replaced', '-microphone-replaced', 'microphone-back']);
    expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'ended', 'live']);
  });

  it('is missed by the list of devices alone, where the browser tells no end', async () => {
    const { clock, devices, call, microphone } = setUp('inner', 'headset');
    await microphone.open('headset');
    clock.advance(60_000);
    await devices.change('inner');
    expect(call.heard).toBe('inner');
  });

  it('lets one listen when there is none, and takes the first that comes', async () => {
    const { clock, devices, events, call, microphone } = setUp('inner');
    await microphone.open('');
    clock.advance(60_000);
    devices.ids = [];
    devices.tracks[0].end();
    await settled();
    expect([call.heard, microphone.captured]).toEqual([null, false]);
    await devices.change();
    expect(events).toEqual(['microphone-ended']);
    await devices.change('usb');
    expect(call.heard).toBe('usb');
    expect(events).toEqual(['microphone-ended', '-microphone-ended', 'microphone-back']);
  });

  it('takes the default one where the chosen one is not there at all', async () => {
    const { events, call, microphone } = setUp('inner');
    await microphone.open('gone');
    expect(call.heard).toBe('inner');
    expect(events).toEqual(['microphone-replaced']);
  });

  it('reopens the same device for other processing, also a replacement', async () => {
    const { devices, events, call, microphone } = setUp('inner');
    await microphone.reopen();
    expect(devices.asked).toBe(0);
    await microphone.open('gone');
    await microphone.reopen();
    expect(call.heard).toBe('inner');
    expect(events).toEqual(['microphone-replaced', '-microphone-replaced', 'microphone-replaced']);
    expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'live']);
  });

  it('is closed before it is opened with other processing, which it would keep', async () => {
    const { devices, call, microphone } = setUp('inner');
    await microphone.open('');
    await Promise.all([microphone.reopen(), microphone.reopen()]);
    expect(devices).toMatchObject({ asked: 3, overlaps: 0 });
    expect(call.heard).toBe('inner');
  });

  it('is none, with a sentence, when it can’t be opened with other processing', async () => {
    const { devices, events, call, microphone } = setUp('inner');
    await microphone.open('');
    devices.refuses = true;
    await microphone.reopen();
    expect([call.heard, microphone.captured]).toEqual([null, false]);
    expect(events).toEqual(['microphone-refused']);
  });

  it('waits a while with one that ends as soon as it is opened', async () => {
    const { clock, devices, call, microphone } = setUp('loose');
    await microphone.open('');
    for (let i = 0; i < 5; i++) {
      devices.tracks.at(-1)?.end();
      await settled();
      expect(call.heard).toBe(null);
      clock.advance(2000);
      await settled();
      expect(call.heard).toBe('loose');
    }
    expect(devices.asked).toBe(6);
  });

  it('asks nobody again who refused', async () => {
    const { devices, events, microphone } = setUp('inner');
    devices.refuses = true;
    await microphone.open('headset');
    await devices.change('inner', 'headset');
    expect(devices.asked).toBe(1);
    expect(events).toEqual(['microphone-refused']);
  });

  it('says when the system mutes it, until it no longer does', async () => {
    const { devices, events, microphone } = setUp('inner');
    await microphone.open('');
    devices.tracks[0].onmute?.();
    devices.tracks[0].onunmute?.();
    expect(events).toEqual(['microphone-muted', '-microphone-muted']);
  });

  it('stays the same if another one cannot be used, and is none when none is wanted', async () => {
    const { clock, devices, events, call, microphone } = setUp('inner');
    await microphone.open('');
    clock.advance(60_000);
    expect(await microphone.choose('gone')).toBe(false);
    expect([call.heard, microphone.chosen]).toEqual(['inner', '']);
    expect(events).toEqual(['no-microphone']);
    expect(await microphone.choose(null)).toBe(true);
    await devices.change('inner', 'another');
    expect(call.heard).toBe(null);
    expect(devices.tracks[0].readyState).toBe('ended');
  });

  it('is none if another can’t be used that was chosen while it was reopened', async () => {
    const { call, microphone } = setUp('inner');
    await microphone.open('inner');
    await microphone.connect();
    const reopened = microphone.reopen();
    await Promise.resolve();
    expect(await microphone.choose('gone')).toBe(false);
    await reopened;
    expect([call.heard, microphone.captured, microphone.stream]).toEqual([null, false, null]);
  });

  it('is the one that was asked for last, however long each takes to open', async () => {
    const { devices, call, microphone } = setUp('inner', 'headset');
    await Promise.all([microphone.open('inner'), microphone.choose('headset')]);
    expect(call.heard).toBe('headset');
    expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'live']);
  });

  it('is switched off at the end, also one that is still being opened', async () => {
    const { devices, call, microphone } = setUp('inner');
    const opening = microphone.open('');
    microphone.close();
    await opening;
    expect(devices.tracks[0].readyState).toBe('ended');
    await devices.change('inner', 'headset');
    expect([call.heard, devices.asked]).toEqual([null, 1]);
  });
});

describe('OutputDevice', () => {
  it('is replaced by the default when it goes away, and plays again on its return', async () => {
    const devices = new FakeDevices(['default', 'headset'], 'audiooutput');
    const context = {
      sinkId: '',
      setSinkId: async (/** @type {string} */ id) => {
        if (id !== '' && !devices.ids.includes(id)) throw new Error('NotFoundError');
        context.sinkId = id;
      },
    };
    /** @type {string[]} */
    const events = [];
    const speaker = new OutputDevice({
      notice: (code) => void events.push(code),
      settle: (code) => void events.push(`-${code}`),
      devices: /** @type {any} */ (devices),
    });
    open.push(speaker);
    await speaker.choose('headset');
    await speaker.play(/** @type {any} */ (context));
    expect(context.sinkId).toBe('headset');
    events.length = 0;
    await devices.change('default');
    expect([context.sinkId, ...events]).toEqual(['', 'speaker-replaced']);
    await devices.change('default');
    await devices.change('default', 'headset');
    expect([context.sinkId, ...events]).toEqual([
      'headset',
      'speaker-replaced',
      '-speaker-replaced',
      'speaker-back',
    ]);
    expect(await speaker.choose('gone')).toBe(false);
    expect(context.sinkId).toBe('headset');
  });
});

describe('RunningContext', () => {
  class FakeContext extends EventTarget {
    state = 'suspended';
    allowed = true;
    resume = vi.fn(async () => {
      if (!this.allowed) throw new Error('not now');
      this.become('running');
    });
    /** @param {string} state */
    become(state) {
      if (state === this.state) return;
      this.state = state;
      this.dispatchEvent(new Event('statechange'));
    }
  }

  /** @param {boolean} [mayPlay] true if the browser reports that it holds nothing back */
  function setUp(mayPlay = false) {
    const context = new FakeContext();
    const presses = new EventTarget();
    /** @type {string[]} */
    const events = [];
    const on = {
      held: (/** @type {string} */ code) => void events.push(code),
      runs: (/** @type {boolean} */ stopped) => void events.push(stopped ? 'runs again' : 'runs'),
    };
    const running = new RunningContext(/** @type {any} */ (context), on, presses, () => mayPlay);
    open.push(running);
    return { context, presses, events, running };
  }

  it('says nothing of one that starts at once', async () => {
    const { running, events } = setUp();
    expect(await running.resume()).toBe(true);
    expect(events).toEqual([]);
  });

  it('starts with the next press where the browser wants one', async () => {
    const { context, presses, events, running } = setUp();
    context.allowed = false;
    expect(await running.resume()).toBe(false);
    context.allowed = true;
    presses.dispatchEvent(new Event('keydown'));
    await settled();
    expect(events).toEqual(['sound-blocked', 'runs']);
    presses.dispatchEvent(new Event('keydown'));
    expect(context.resume).toHaveBeenCalledTimes(2);
  });

  it('starts with the next touch, which a browser counts when the finger is lifted', async () => {
    const { context, presses, events, running } = setUp();
    context.allowed = false;
    await running.resume();
    presses.dispatchEvent(new Event('pointerdown'));
    await settled();
    context.allowed = true;
    presses.dispatchEvent(new Event('pointerup'));
    await settled();
    expect(events.at(-1)).toBe('runs');
  });

  it('has nothing to play on where the browser holds nothing back and it can’t run', async () => {
    const { context, presses, events, running } = setUp(true);
    context.allowed = false;
    expect(await running.resume()).toBe(false);
    context.allowed = true;
    presses.dispatchEvent(new Event('keydown'));
    await settled();
    expect(events).toEqual(['no-output', 'runs']);
  });

  it('is resumed at once when the system stops it', async () => {
    const { context, events, running } = setUp();
    await running.resume();
    context.become('suspended');
    await settled();
    expect([context.state, ...events]).toEqual(['running', 'runs again']);
  });

  it('goes on when the telephone call has ended that took the sound', async () => {
    const { context, events, running } = setUp();
    await running.resume();
    context.allowed = false;
    context.become('interrupted');
    await settled();
    expect(events).toEqual(['sound-interrupted']);
    context.allowed = true;
    context.become('suspended');
    await settled();
    expect(events).toEqual(['sound-interrupted', 'runs again']);
  });

  it('leaves one alone that the call has closed', async () => {
    const { context, events, running } = setUp();
    await running.resume();
    running.close();
    context.become('suspended');
    await settled();
    expect([context.state, ...events]).toEqual(['suspended']);
  });
});

it.each([
  'microphone-replaced',
  'microphone-back',
  'microphone-muted',
  'microphone-ended',
  'sound-interrupted',
  'no-output',
  'sound-resumed',
  'speaker-replaced',
  'speaker-back',
  'room-mono',
  'stereo-processed',
])('the page has a sentence for %s', (code) => {
  expect(noticeText(code)).not.toBe(noticeText('unknown'));
});
