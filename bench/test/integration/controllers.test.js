/** Congestion controllers of the lab's builds of the native engine. */

import { featureLibrary, load, loadError } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import {
  carriesBothWays,
  countsPushedOut,
  isLeft,
  isNotHeld,
} from '../../../testkit/congestion-cases.js';
import { closeAll } from '../../../testkit/native.js';
import { canBuildNative, ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';
import {
  CONGESTION_CONTROLLERS,
  controllerSettings,
  NOQ_CONTROLLERS,
} from '../../plugin/controllers.js';

/** @import { CongestionController } from '../../plugin/controllers.js' */

afterEach(closeAll);

const CARRIES = 'carries datagrams and streams both ways, and tells its name: %s';
const carries = (/** @type {CongestionController} */ name) =>
  carriesBothWays(controllerSettings(name));

const NOT_HELD = 'does not hold live sound back for what is lost by chance, with %s';
const holdsNothing = (/** @type {CongestionController} */ name) =>
  isNotHeld(controllerSettings(name));

const LEFT = 'leaves the window to the bare controller: %s';
const leaves = (/** @type {CongestionController} */ name) => isLeft(controllerSettings(name));

requireOrSkip(
  loadError(featureLibrary('lab')) === null,
  'the native engine is not built for the lab: npm run build:native -- --lab',
  canBuildNative,
).describe('native engine, built for the lab', () => {
  it.each(CONGESTION_CONTROLLERS.filter((name) => name !== 'cubic'))(CARRIES, carries);

  it.each(/** @type {const} */ (['newreno', 'bbr']))(NOT_HELD, holdsNothing);

  it.each(/** @type {const} */ (['cubic-bare', 'newreno-bare']))(LEFT, leaves);
});

requireOrSkip(
  loadError(featureLibrary('noq')) === null,
  'the engine with noq is not built',
  ofTheMachine,
).describe('native engine with noq', () => {
  it.each(NOQ_CONTROLLERS)(CARRIES, carries);

  it.each([40, 160, 430])('counts what is pushed out of a full queue: %i bytes', (length) =>
    countsPushedOut(controllerSettings('bbr3'), length),
  );

  it.each(/** @type {const} */ (['bbr3']))(NOT_HELD, holdsNothing);

  it.each(/** @type {const} */ (['bbr3-bare']))(LEFT, leaves);

  it('is told from the first engine, which goes on beside it', async () => {
    expect(load(featureLibrary('noq'))).not.toBe(load());
    await Promise.all([carries('bbr3'), carries('cubic')]);
  });
});
