/**
 * @import { Clock } from '../../public/shared/clock.js'
 */

import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import acme from 'acme-client';

/** An error that the authority reports, or that keeps it from being reached. */
export class AcmeError extends Error {
  /**
   * @param {string} message  for the operator
   * @param {{ type?: string, retryAfterMs?: number }} [details] type: the last part of the
   *   problem's type (RFC 8555, section 6.7), such as `rateLimited`; retryAfterMs: wait that the
   *   authority asks for
   */
  constructor(message, { type = '', retryAfterMs = 0 } = {}) {
    super(message);
    this.name = 'AcmeError';
    this.type = type;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Types of errors that an order without the previous certificate would meet too. */
const LASTING = new Set(['rateLimited', 'unreachable', 'untrusted']);

/**
 * Window in which the authority wants a certificate to be renewed (RFC 9773, section 4.2).
 * @typedef {object} RenewalWindow
 * @property {number} startMs     in milliseconds since 1970
 * @property {number} endMs
 * @property {number} askAgainMs  validity of the answer, in milliseconds
 */

/** Longest request to the authority, in milliseconds. */
const REQUEST_MS = 30_000;

/** Longest time for the authority to check a challenge or to issue, in milliseconds. */
const ISSUE_MS = 120_000;

/** Interval between polls of the authority, in milliseconds. */
const POLL_MS = 1000;

/** Validity of a renewal window if the authority doesn't give one (RFC 9773, section 4.3). */
const ASK_AGAIN_MS = 6 * 60 * 60 * 1000;

/** Longest text of the authority's that is logged, in characters. */
const MAX_DETAIL = 300;

const PROBLEM_TYPE = 'urn:ietf:params:acme:error:';

// The library would retry a failed request for minutes, and then hide the reason. Here a failure is
// reported at once and retried later.
acme.axios.interceptors.request.clear();
acme.axios.interceptors.response.clear();

/**
 * An authority that issues certificates by ACME (RFC 8555), proving the names by http-01 (section
 * 8.3).
 */
export class AcmeAuthority {
  #client;
  #clock;
  #email;
  #closing = new AbortController();
  #hasAccount = false;

  /**
   * @param {object} options
   * @param {string} options.directoryUrl
   * @param {string} options.email       of the account's holder
   * @param {string} options.accountKey  PEM
   * @param {Clock} options.clock
   */
  constructor({ directoryUrl, email, accountKey, clock }) {
    this.#clock = clock;
    this.#email = email;
    this.#client = new acme.Client({ directoryUrl, accountKey });
    const { http } = /** @type {LibraryClient} */ (/** @type {unknown} */ (this.#client));
    this.#http = http;
    const request = http.request.bind(http);
    http.request = async (url, method, options) => {
      const limits = { signal: this.#closing.signal, timeout: REQUEST_MS };
      const answer = await request(url, method, { ...options, ...limits }).catch((error) => {
        throw unreachable(url, error);
      });
      return withoutProblem(url, answer);
    };
  }

  #http;

  /** Makes a private key for an account or a certificate. @returns {Promise<string>} PEM */
  static async newKey() {
    return String(await acme.crypto.createPrivateEcdsaKey('P-256'));
  }

  /**
   * Gets a certificate.
   * @param {object} options
   * @param {ReadonlyArray<string>} options.domains
   * @param {Map<string, string>} options.challenges filled with the answers to serve, by the last
   *   part of the path
   * @param {string | null} options.replaces the previous certificate, PEM
   * @returns {Promise<{ certPem: string, keyPem: string }>}
   * @throws {AcmeError}
   */
  async order({ domains, challenges, replaces }) {
    const client = this.#client;
    if (!this.#hasAccount) {
      await client.createAccount({
        termsOfServiceAgreed: true,
        contact: [`mailto:${this.#email}`],
      });
      this.#hasAccount = true;
    }
    const identifiers = domains.map((value) => ({ type: 'dns', value }));
    const order = await this.#newOrder(identifiers, replaces && certificateId(replaces));
    for (const authorization of await client.getAuthorizations(order))
      await this.#prove(authorization, challenges);
    const ready = await this.#until(
      () => client.getOrder(order),
      ({ status }) => status !== 'pending',
    );
    const keyPem = await AcmeAuthority.newKey();
    const [, csr] = await acme.crypto.createCsr({ altNames: [...domains] }, keyPem);
    const isDone = (/** @type {acme.Order} */ { status }) =>
      status === 'valid' || status === 'invalid';
    if (ready.status === 'ready') await client.finalizeOrder(ready, csr);
    const issued = await this.#until(() => client.getOrder(order), isDone);
    if (issued.status !== 'valid') throw problemOf(issued.error);
    return { certPem: await client.getCertificate(issued), keyPem };
  }

  /**
   * Proves control of a name.
   * @param {acme.Authorization} authorization
   * @param {Map<string, string>} challenges
   */
  async #prove(authorization, challenges) {
    if (authorization.status === 'valid') return;
    const { value } = authorization.identifier;
    const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
    if (!challenge)
      throw new AcmeError(`the authority does not offer to check ${value} by http-01`);
    challenges.set(challenge.token, await this.#client.getChallengeKeyAuthorization(challenge));
    try {
      await this.#client.completeChallenge(challenge);
      // The library has no other way to ask for one authorization.
      const read = async () =>
        (
          await this.#client.getAuthorizations(
            /** @type {acme.Order} */ ({ authorizations: [authorization.url] }),
          )
        )[0];
      const { status, challenges: tried } = await this.#until(
        read,
        (now) => now.status !== 'pending',
      );
      if (status === 'valid') return;
      throw problemOf(tried.find(({ type }) => type === 'http-01')?.error);
    } finally {
      challenges.delete(challenge.token);
    }
  }

  /**
   * Polls until something is done.
   * @template T
   * @param {() => Promise<T>} read
   * @param {(state: T) => boolean} isDone
   * @returns {Promise<T>}
   * @throws {AcmeError} when it takes too long, or the server closes
   */
  async #until(read, isDone) {
    const end = this.#clock.now() + ISSUE_MS;
    for (;;) {
      const state = await read();
      if (isDone(state)) return state;
      if (this.#clock.now() > end)
        throw new AcmeError(`the authority was not done within ${ISSUE_MS / 1000} s`);
      await this.#pause();
    }
  }

  #pause() {
    return new Promise((/** @type {(done: void) => void} */ resolve) => {
      const { signal } = this.#closing;
      if (signal.aborted) return resolve();
      const end = () => {
        this.#clock.clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.#clock.setTimeout(end, POLL_MS);
      signal.addEventListener('abort', end);
    });
  }

  /**
   * Asks when a certificate should be renewed (RFC 9773).
   * @param {string} certPem
   * @returns {Promise<RenewalWindow | null>} null if the authority doesn't say
   * @throws {AcmeError}
   */
  async renewalWindow(certPem) {
    const { renewalInfo } = await this.#http.getDirectory();
    const id = renewalInfo && certificateId(certPem);
    if (!id) return null;
    const { data, headers } = await this.#http.request(`${renewalInfo}/${id}`, 'get');
    const startMs = Date.parse(data?.suggestedWindow?.start ?? '');
    const endMs = Date.parse(data?.suggestedWindow?.end ?? '');
    if (!(startMs < endMs)) return null;
    return { startMs, endMs, askAgainMs: secondsOf(headers) * 1000 || ASK_AGAIN_MS };
  }

  /**
   * Orders a certificate. If the authority refuses the order that names the previous one, it orders
   * without that name. The authority may have forgotten it, or it was already replaced (RFC 9773,
   * section 5).
   * @param {{ type: string, value: string }[]} identifiers
   * @param {string | null} replaces the previous certificate's id
   */
  async #newOrder(identifiers, replaces) {
    const client = this.#client;
    if (replaces === null) return client.createOrder({ identifiers });
    const request = { identifiers, replaces };
    return client.createOrder(request).catch((error) => {
      if (LASTING.has(error.type)) throw error;
      return client.createOrder({ identifiers });
    });
  }

  /** Cancels requests and waits. Idempotent. */
  close() {
    this.#closing.abort();
  }
}

/**
 * The part of the library's client that its types leave out.
 * @typedef {object} LibraryClient
 * @property {{ request: (url: string, method: string, options?: object) => Promise<Answer>,
 *   getDirectory: () => Promise<{ renewalInfo?: string }> }} http
 *
 * @typedef {{ type?: unknown, detail?: unknown }} Problem  RFC 7807
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {Record<string, unknown>} headers
 * @property {Problem & { suggestedWindow?: { start?: string, end?: string } }} [data]
 */

/**
 * Names a certificate for its authority (RFC 9773, section 4.1): by its issuer's key and its serial
 * number.
 * @param {string} certPem
 * @returns {string | null} null if the certificate doesn't name its issuer's key
 */
export function certificateId(certPem) {
  const certificate = new x509.X509Certificate(certPem);
  const { keyId } = certificate.getExtension(x509.AuthorityKeyIdentifierExtension) ?? {};
  if (!keyId) return null;
  const part = (/** @type {string} */ hex) => Buffer.from(hex, 'hex').toString('base64url');
  // A number whose first bit is set begins with a zero byte in DER, which the library leaves out.
  const zero = /^[89a-f]/i.test(certificate.serialNumber) ? '00' : '';
  return `${part(keyId)}.${part(zero + certificate.serialNumber)}`;
}

/**
 * @param {string} url
 * @param {Answer} answer
 * @returns {Answer}
 * @throws {AcmeError} for an error that the library doesn't handle itself
 */
function withoutProblem(url, answer) {
  const { status, headers, data } = answer;
  if (status < 400 || data?.type === `${PROBLEM_TYPE}badNonce`) return answer;
  throw problemOf(
    data,
    `${new URL(url).host} answered with status ${status}`,
    secondsOf(headers) * 1000,
  );
}

/**
 * @param {Problem | undefined} problem
 * @param {string} [instead]  message of a problem without a detail
 * @param {number} [retryAfterMs]
 */
function problemOf(problem, instead = 'the authority refused without a reason', retryAfterMs = 0) {
  const { type, detail } = problem ?? {};
  const short = typeof type === 'string' ? type.replace(PROBLEM_TYPE, '') : '';
  const message = typeof detail === 'string' && detail ? detail : instead;
  return new AcmeError(message.slice(0, MAX_DETAIL), { type: short, retryAfterMs });
}

/**
 * @param {string} url
 * @param {NodeJS.ErrnoException} error
 */
function unreachable(url, { code, message }) {
  const isForeign = /CERT|SELF_SIGNED|UNABLE_TO_/.test(code ?? '');
  const type = isForeign ? 'untrusted' : 'unreachable';
  return new AcmeError(
    `${new URL(url).host} can't be reached (${code ?? message})`.slice(0, MAX_DETAIL),
    { type },
  );
}

/** Seconds of a Retry-After header; 0 without one. @param {Answer['headers']} headers */
function secondsOf(headers) {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}
