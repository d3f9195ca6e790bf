import { CERTIFICATE_DIRECTORY } from '../../certs/generate.js';
import { systemClock } from '../../public/shared/clock.js';
import { createLog } from '../log.js';
import { MadeCertificate } from './made-certificate.js';
import { OwnCertificate } from './own-certificate.js';

/** @typedef {import('./certificate-source.js').Certificate} Certificate */
/** @typedef {MadeCertificate | OwnCertificate} ServerCertificate */

/**
 * The server's certificate: the one that --cert and --key name, or else one that it makes.
 *
 * @param {Pick<import('../config/config.js').Config, 'cert' | 'key' | 'certDir' | 'hostnames'>} config
 * @param {object} [options]
 * @param {import('../../public/shared/clock.js').Clock} [options.clock]
 * @param {() => number} [options.wallNow]  the date, in milliseconds since 1970
 * @param {import('../log.js').Log} [options.log]
 * @returns {Promise<ServerCertificate>} to be closed
 * @throws {import('../config/config-error.js').ConfigError} when your own one won't do
 */
export async function openCertificate(config, { clock = systemClock, wallNow = Date.now, log = createLog() } = {}) {
  const { cert, key } = config;
  if (cert !== null && key !== null) return OwnCertificate.open({ files: { cert, key }, clock, wallNow, log });
  const directory = config.certDir ?? CERTIFICATE_DIRECTORY;
  return MadeCertificate.open({ directory, hosts: config.hostnames, clock, wallNow, log });
}
