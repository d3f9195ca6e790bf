import { describe, expect, it } from 'vitest';
import { CurrentCall } from '../../../public/ui/call/current-call.js';
import { OwnSound } from '../../../public/ui/call/own-sound.js';
import { LISTEN_ONLY } from '../../../public/ui/settings/devices.js';

/** A call whose microphones are opened when the test says so. */
class FakeCall {
  hasMicrophone = true;
  /** Answers by device. @type {Map<string | null, (isUsed: boolean) => void>} */
  opened = new Map();
  muted = false;

  /** @param {string | null} deviceId @returns {Promise<boolean>} */
  setMicrophone(deviceId) {
    return new Promise((resolve) => this.opened.set(deviceId, resolve));
  }

  /** @param {boolean} muted */
  mute(muted) {
    this.muted = muted;
  }
}

function setUp() {
  const current = new CurrentCall();
  const call = new FakeCall();
  current.call = /** @type {any} */ (call);
  const own = new OwnSound({
    current,
    processing: true,
    notices: /** @type {any} */ ({}),
    sounds: /** @type {any} */ ({}),
    listDevices: async () => {},
  });
  own.begin('built-in', false);
  return { own, call };
}

describe('one’s own sound', () => {
  it('keeps the microphone that was chosen last, if an earlier one answers later', async () => {
    const { own, call } = setUp();
    const slow = own.chooseMicrophone('slow');
    const quick = own.chooseMicrophone('quick');
    call.opened.get('quick')?.(true);
    await quick;
    expect(own.microphone).toBe('quick');
    call.opened.get('slow')?.(false);
    await slow;
    expect(own.microphone).toBe('quick');
  });

  it('stays without a microphone, if one answers later than the wish to only listen', async () => {
    const { own, call } = setUp();
    const slow = own.chooseMicrophone('slow');
    const none = own.chooseMicrophone(LISTEN_ONLY);
    call.hasMicrophone = false;
    call.opened.get(null)?.(true);
    await none;
    call.opened.get('slow')?.(false);
    await slow;
    expect([own.microphone, own.muted]).toEqual([LISTEN_ONLY, true]);
  });

  it('is muted once Space is released, though the microphone was gone by then', () => {
    const { own, call } = setUp();
    own.begin('built-in', true);
    own.talk(true);
    expect([own.muted, call.muted]).toEqual([false, false]);
    call.hasMicrophone = false;
    own.talk(false);
    call.hasMicrophone = true;
    own.apply();
    expect([own.muted, call.muted]).toEqual([true, true]);
  });

  it('keeps the microphone before, if the chosen one can’t be used', async () => {
    const { own, call } = setUp();
    const broken = own.chooseMicrophone('broken');
    call.opened.get('broken')?.(false);
    await broken;
    expect(own.microphone).toBe('built-in');
  });
});
