/**
 * Congestion controllers that the lab compares: the product's, and those of two further builds of
 * the native engine.
 */

import { featureLibrary, loadError } from '@aloud/native';

/** Controllers of the product's library: CUBIC with room for live sound. */
const PRODUCT = Object.freeze(/** @type {const} */ (['cubic']));

/**
 * Controllers of the build with cargo's feature `lab`: quinn's others with room for live sound, the
 * same without it, no controller, and Copa.
 */
const LAB = Object.freeze(
  /** @type {const} */ ([
    'newreno',
    'bbr',
    'cubic-bare',
    'newreno-bare',
    'bbr-bare',
    'none',
    'copa',
  ]),
);

/**
 * Controllers of the build with noq in place of quinn: BBRv3 with and without room for live sound.
 */
export const NOQ_CONTROLLERS = Object.freeze(/** @type {const} */ (['bbr3', 'bbr3-bare']));

/** Controllers of quinn, in the order of reports. */
export const CONGESTION_CONTROLLERS = Object.freeze([...PRODUCT, ...LAB]);

export const ALL_CONTROLLERS = Object.freeze([...CONGESTION_CONTROLLERS, ...NOQ_CONTROLLERS]);

/** @typedef {typeof ALL_CONTROLLERS[number]} CongestionController */

/**
 * The product's controllers are in the build for the lab too, which alone writes qlog files.
 * @param {CongestionController} controller
 */
const featureOf = (controller) =>
  PRODUCT.some((name) => name === controller)
    ? process.env.QLOGDIR
      ? 'lab'
      : null
    : NOQ_CONTROLLERS.some((name) => name === controller)
      ? 'noq'
      : 'lab';

/**
 * Settings with which an endpoint of the native engine has a controller.
 * @param {CongestionController} congestionController
 */
export function controllerSettings(congestionController) {
  const feature = featureOf(congestionController);
  return { congestionController, library: feature && featureLibrary(feature) };
}

/**
 * @param {CongestionController} controller
 * @returns {string | null} reason why this machine lacks the build that has it, as a sentence
 */
export function missingBuild(controller) {
  const feature = featureOf(controller);
  if (feature === null) return loadError() === null ? null : 'The native engine is not built.';
  if (loadError(featureLibrary(feature)) === null) return null;
  const command = `npm run build:native -- --${feature}`;
  return `The native engine's build for ${controller} is missing: ${command}.`;
}
