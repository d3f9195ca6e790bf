/**
 * HTTPS and WebSocket connections of a client without a browser, whose steps are noted, with new or
 * resumed TLS sessions.
 * @import { ClientRequest } from 'node:http'
 * @import { TLSSocket } from 'node:tls'
 * @import { StepNotes } from './steps.js'
 */

import https from 'node:https';
import { WebSocket } from 'ws';

/** Client of HTTPS that keeps connections open, and TLS sessions for the next ones. */
export class HttpsClient {
  #agent = new https.Agent({ keepAlive: true });
  /** @type {Set<Promise<unknown>>} */
  #underWay = new Set();
  /** The newest TLS session that can be resumed. @type {Buffer | undefined} */
  session;
  /**
   * True when the TLS session of the first noted connection was a resumed one; null before there is
   * one.
   * @type {boolean | null}
   */
  isResumed = null;
  /** Takes the steps of the next connection. @type {StepNotes | null} */
  notes = null;

  /**
   * As much of the browser's fetch as the client's HTTP/1 connection uses.
   * @type {typeof globalThis.fetch}
   */
  fetch = (url, init) => {
    const answer = this.#request(String(url), init ?? {});
    const over = answer.catch(() => {}).finally(() => this.#underWay.delete(over));
    this.#underWay.add(over);
    return answer;
  };

  /** @param {string} url @param {RequestInit} init @returns {Promise<Response>} */
  #request(url, { method = 'GET', headers, body, signal }) {
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent: this.#agent,
        headers: /** @type {Record<string, string>} */ (headers),
        signal: signal ?? undefined,
      };
      const request = https.request(url, options, async (response) => {
        try {
          const bytes = Buffer.concat(await response.toArray());
          resolve(new Response(bytes.length > 0 ? bytes : null, { status: response.statusCode }));
        } catch (error) {
          reject(error);
        }
      });
      request.once('error', reject);
      this.#watch(request, (notes) => notes.reach('opened'));
      request.end(body);
    });
  }

  /**
   * A WebSocket class whose connections are noted, and resume the newest session.
   * @returns {typeof globalThis.WebSocket}
   */
  get WebSocket() {
    const client = this;
    const bound = class extends WebSocket {
      /** @param {string} url */
      constructor(url) {
        super(
          url,
          [],
          /** @type {any} */ ({
            session: client.session,
            finishRequest: (/** @type {ClientRequest} */ request) => {
              client.#watch(request, () => {});
              request.end();
            },
          }),
        );
        this.once('open', () => client.notes?.reach('opened'));
      }
    };
    return /** @type {any} */ (bound);
  }

  /**
   * Notes when a request has a connection, which may have been there before.
   * @param {ClientRequest} request @param {(notes: StepNotes) => void} connected
   */
  #watch(request, connected) {
    request.once('socket', (/** @type {TLSSocket} */ socket) => {
      const secured = () => {
        const { notes } = this;
        if (!notes) return;
        this.isResumed ??= socket.isSessionReused();
        notes.reach('connected');
        connected(notes);
      };
      if (request.reusedSocket) return secured();
      socket.on('session', (session) => void (this.session = session));
      socket.once('secureConnect', secured);
      return undefined;
    });
  }

  /** Ends the connections that wait for a next request; sessions stay. */
  disconnect() {
    this.#agent.destroy();
  }

  /** Ends all connections, as soon as the requests under way are answered or broken off. */
  async close() {
    await Promise.all(this.#underWay);
    this.disconnect();
  }
}
