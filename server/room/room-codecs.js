/**
 * What the people of a room are decoded and encoded with.
 * @import { RoomSettings } from './room.js'
 */

import { PayloadDecoder, PayloadEncoder } from '../../public/shared/payload.js';
import { LazyDecoder, LazyEncoder } from '../audio/lazy-codec.js';

/**
 * Of a codec that has fewer than this for the whole server, each person has one from the beginning, so that
 * whoever is one too many is told so when they join, and not heard by nobody later.
 */
const FEW_INSTANCES = 1000;

/**
 * @param {RoomSettings} settings
 * @throws {Error} of code 'codec-instances'
 */
export function newEncoder({ codec, format, bitrate, complexity, application }) {
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const settings = { sampleRate, frameSamples, bitrate, complexity, application };
  const open = () => new PayloadEncoder(codec.createEncoder(settings), format);
  return new LazyEncoder(open, codec.maxInstances < FEW_INSTANCES);
}

/**
 * @param {RoomSettings} settings
 * @throws {Error} of code 'codec-instances'
 */
export function newDecoder({ codec, format }) {
  const { sampleRate, opusFrameSamples: frameSamples } = format;
  const open = () => new PayloadDecoder(codec.createDecoder({ sampleRate, frameSamples }), format);
  return new LazyDecoder(open, codec.maxInstances < FEW_INSTANCES, format.frameSamples);
}
