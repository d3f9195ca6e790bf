import { describe, expect, it, vi } from 'vitest';
import { datachannel } from '../../ways/webrtc.js';

/** The names of called functions. @type {string[]} */
const called = [];

class FakePeer {
  onGatheringStateChange(/** @type {(state: string) => void} */ changed) {
    this.changed = changed;
  }

  createDataChannel() {
    return { onOpen: () => {} };
  }

  setLocalDescription() {
    this.changed?.('complete');
  }

  localDescription() {
    return { sdp: 'v=0' };
  }

  setRemoteDescription() {
    throw new Error('no ICE transport');
  }

  close() {
    called.push('close');
  }
}

vi.mock('node-datachannel', () => ({
  PeerConnection: FakePeer,
  cleanup: () => void called.push('cleanup'),
}));

describe('a way over WebRTC', () => {
  it('closes its peer where the answer can’t be taken', async () => {
    const connecting = datachannel.connect({
      host: '127.0.0.1',
      peer: '127.0.0.1',
      invitation: '',
      signal: async (offer) => `${offer} answered`,
    });
    await expect(connecting).rejects.toThrow('no ICE transport');
    expect(called).toEqual(['close', 'cleanup']);
  });
});
