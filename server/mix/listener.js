/**
 * @import { Redundancy } from '../../public/shared/redundancy.js'
 * @import { Session } from '../transport/session.js'
 * @import { MixStream } from './mix-stream.js'
 * @import { SpeakerList } from './speaker-list.js'
 */

import { out, written } from './packet-out.js';
import { Volumes } from './volumes.js';

/** What one participant is sent, and how. */
export class Downlink {
  #session;

  /**
   * @param {Session} session
   * @param {MixStream} stream  what is sent to this person alone; closed with this
   * @param {Redundancy} redundancy  follows the loss that this person reports
   */
  constructor(session, stream, redundancy) {
    this.#session = session;
    this.stream = stream;
    this.redundancy = redundancy;
    this.volumes = new Volumes();
    /** Whether the last mix of the room's tick was one of its own, and the frame of the last such one. */
    this.hearsOwn = false;
    this.ownFrame = -1;
    /** The frame in which it heard the shared stream again. */
    this.returnFrame = -1;
  }

  /**
   * Encodes a mix for this person alone and sends it.
   * @param {number} frame that the packet is for
   * @param {Float32Array} pcm one frame; limited in place
   * @param {boolean} sounding false to send a silent packet, whatever is in pcm
   * @param {SpeakerList} speakers who is in the mix
   * @param {ReadonlyArray<Float32Array>} [before] see MixStream.encode
   */
  send(frame, pcm, sounding, speakers, before) {
    if (!this.stream.encode(frame, pcm, sounding, speakers, before)) return;
    this.#session.send(written(this.stream.write(out, this.redundancy.count)));
  }

  close() {
    this.stream.close();
  }
}
