/**
 * What the people of a room are decoded and encoded with.
 * @import { Session } from '../transport/session.js'
 * @import { RoomSettings } from '../room/room-config.js'
 */

import { Stream } from '../../public/shared/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../public/shared/payload.js';
import { Redundancy } from '../../public/shared/redundancy.js';
import { LazyDecoder, LazyEncoder } from './lazy-codec.js';
import { Downlink } from '../mix/listener.js';
import { MixStream } from '../mix/mix-stream.js';

/**
 * Of a codec that has fewer than this for the whole server, each person has one from the beginning, so that
 * whoever is one too many is told so when they join, and not heard by nobody later.
 */
const FEW_INSTANCES = 1000;

/**
 * @param {RoomSettings} settings
 * @throws {Error} of code 'codec-instances'
 */
export function newEncoder({ codec, format, bitrate, complexity, application, effort = { complexity } }) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  const settings = { sampleRate, frameSamples, channels, bitrate, complexity, application };
  const open = () => new PayloadEncoder(codec.createEncoder(settings), format);
  return new LazyEncoder(open, codec.maxInstances < FEW_INSTANCES, effort, complexity);
}

/**
 * @param {RoomSettings} settings
 * @throws {Error} of code 'codec-instances'
 */
export function newDecoder({ codec, format }) {
  const { sampleRate, channels, opusFrameSamples: frameSamples } = format;
  const open = () => new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples, channels }), format);
  return new LazyDecoder(open, codec.maxInstances < FEW_INSTANCES, format.frameValues);
}

/**
 * @param {RoomSettings} settings
 */
export function newSharedStream(settings) {
  return new MixStream(Stream.fullMix, newEncoder(settings), settings.format, settings.silenceSuppression);
}

/**
 * @param {Session} session
 * @param {LazyEncoder} encoder
 * @param {RoomSettings} settings
 * @param {boolean} leavesOutSilence
 */
export function newDownlink(session, encoder, { format, redundancy = 'auto', clock }, leavesOutSilence) {
  const setting = /** @type {'auto' | 0 | 1 | 2} */ (redundancy);
  return new Downlink(session, new MixStream(Stream.mixMinus, encoder, format, leavesOutSilence), new Redundancy(setting, clock));
}
