import { describe, expect, it } from 'vitest';
import {
  CHROMIUM_CONTROLLERS,
  controllerArguments,
  controllerFault,
  controllersIn,
} from '../../participants/net-log.js';

const TYPES = {
  QUIC_SESSION: 1,
  QUIC_SESSION_WEBTRANSPORT_CLIENT_ALIVE: 2,
  QUIC_CONGESTION_CONTROL_CONFIGURED: 3,
};

const alive = (/** @type {number} */ id) => ({
  type: 2,
  source: { id },
  params: { url: 'https://somewhere' },
  phase: 1,
});
const configured = (/** @type {number} */ id, /** @type {string} */ name) => ({
  type: 3,
  source: { id },
  params: { congestion_control_type: name, use_pacing: true },
});

/** @param {object[]} events */
const netLog = (...events) => ({ constants: { logEventTypes: TYPES }, events, polledData: {} });

const read = (/** @type {unknown} */ log) => controllersIn(JSON.stringify(log));

describe('the controllers of a NetLog', () => {
  it("are WebTransport's, each connection's last", () => {
    expect(
      read(
        netLog(
          configured(7, 'BBR'),
          alive(9),
          configured(9, 'CUBIC_BYTES'),
          { type: 1, source: { id: 9 } },
          configured(9, 'RENO_BYTES'),
        ),
      ),
    ).toEqual(['RENO_BYTES']);
    expect(read(netLog(alive(1), alive(2), configured(1, 'BBR'), configured(2, 'BBR')))).toEqual([
      'BBR',
    ]);
    expect(read(netLog(alive(1), alive(2), configured(1, 'BBR'), configured(2, 'BBRv2')))).toEqual([
      'BBR',
      'BBRv2',
    ]);
    expect(read(netLog(alive(1)))).toEqual([]);
    expect(read(netLog(alive(1), { type: 3, source: { id: 1 } }))).toEqual(['unnamed']);
  });

  const whole = JSON.stringify(netLog(alive(1), configured(1, 'BBR')));
  it.each([
    ['nothing', ''],
    ['a log that was cut off', whole.slice(0, -20)],
    ['JSON that is no log', '[]'],
    ['no names of events', JSON.stringify({ constants: {}, events: [] })],
    [
      'another build, without these events',
      whole.replace('QUIC_CONGESTION_CONTROL_CONFIGURED', 'QUIC_SOMETHING'),
    ],
    ['no events', JSON.stringify({ constants: { logEventTypes: TYPES } })],
    ['events without a source', JSON.stringify(netLog({ type: 3 }))],
    [
      'a name that is none',
      JSON.stringify(
        netLog(alive(1), { type: 3, source: { id: 1 }, params: { congestion_control_type: 7 } }),
      ),
    ],
  ])("can't be read from %s", (_, text) => {
    expect(() => controllersIn(text)).toThrow("Chromium's NetLog can't be read");
  });
});

describe('a controller', () => {
  it('is asked for by its option, but for the default', () => {
    expect(controllerArguments('cubic', '/a/b')).toEqual(['--log-net-log=/a/b']);
    expect(controllerArguments('bbr2', '/a/b')).toEqual([
      '--log-net-log=/a/b',
      '--quic-client-connection-options=B2ON',
    ]);
  });

  it.each(Object.entries(CHROMIUM_CONTROLLERS))(
    '%s is at fault where another ran, or none was logged',
    (name, { logged }) => {
      const fault = (/** @type {string[]} */ ...names) =>
        controllerFault(
          name,
          JSON.stringify(
            netLog(...names.flatMap((running, id) => [alive(id), configured(id, running)])),
          ),
        );
      expect(fault(logged)).toBe(null);
      expect(fault('VEGAS')).toBe(`Chromium's congestion controller was VEGAS, not ${logged}`);
      expect(fault(logged, 'VEGAS')).toBe(
        `Chromium's congestion controller was ${logged} and VEGAS, not ${logged}`,
      );
      expect(fault()).toBe(`Chromium's congestion controller was not logged, not ${logged}`);
    },
  );
});
