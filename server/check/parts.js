/**
 * Checks of parts that the options ask for, and without which the server doesn't start.
 *
 * @import { Context, Finding } from './finding.js'
 */

import { openCodec } from '../codec/codec.js';
import { findWebRtc } from '../webrtc/webrtc.js';
import { fail, ok, reasonOf } from './finding.js';

/**
 * @param {Context} context
 * @param {Parameters<typeof findWebRtc>[0]} [find]  finds a package
 * @returns {Finding[]}
 */
export function checkWebRtc({ config }, find) {
  if (!config.webrtc) return [];
  try {
    findWebRtc(find);
    return [ok('--webrtc has its library')];
  } catch (error) {
    const [what, remedy] = reasonOf(error).split(': ');
    return [fail(what, remedy)];
  }
}

/**
 * @param {Context} context
 * @param {typeof openCodec} [open]
 * @returns {Promise<Finding[]>}
 */
export async function checkCodec({ config: { codec } }, open = openCodec) {
  // The server chooses one that is there.
  if (codec === 'auto') return [];
  try {
    await open(codec);
    return [ok(`--codec ${codec} loads`)];
  } catch (error) {
    return [fail(reasonOf(error).replace(/\.$/, ''), 'choose another, or leave --codec out')];
  }
}
