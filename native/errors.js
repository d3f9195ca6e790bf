/** A session could not be opened; `status` is the HTTP status of a refusal, or 0. */
export class ConnectError extends Error {
  /**
   * @param {string} message
   * @param {number} status
   */
  constructor(message, status) {
    super(status === 0 ? message : `the server refused with status ${status}`);
    this.name = 'ConnectError';
    this.code = 'ERR_WEBTRANSPORT_CONNECT';
    this.status = status;
  }
}

/**
 * An error's code is that of the system, such as EADDRINUSE, where its message starts with one.
 * @param {Error} error
 */
export function withSystemCode(error) {
  const [, code] = /^(E[A-Z]+): /.exec(error.message) ?? [];
  return code ? Object.assign(error, { code }) : error;
}
