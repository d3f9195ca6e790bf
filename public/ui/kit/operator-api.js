/** The operator's API for a page, and its token, which lasts as long as the tab. */

const TOKEN_KEY = 'aloud.operator';

/** Time limit of a request, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The token, if the browser keeps nothing. */
let kept = '';

/** @returns {string} '' when there is none */
export function readToken() {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? kept;
  } catch {
    return kept;
  }
}

/** @param {string} token '' forgets it */
export function keepToken(token) {
  kept = token;
  try {
    if (token) sessionStorage.setItem(TOKEN_KEY, token);
    else sessionStorage.removeItem(TOKEN_KEY);
  } catch {
    // The browser keeps nothing: the token lasts as long as the page.
  }
}

/**
 * Asks the operator's API.
 * @param {'GET' | 'POST' | 'PATCH' | 'DELETE'} method
 * @param {string} path below /api
 * @param {{ body?: object, token?: string }} [options]
 * @returns {Promise<{ code: string | null, status: number, answer: unknown }>} code: of the
 *   refusal, or `operator-offline` without an answer; null on success
 */
export async function askOperatorApi(method, path, { body, token = readToken() } = {}) {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': 'application/json' }),
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`/api${path}`, {
      method,
      headers,
      signal,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = response.status === 204 ? null : await response.json();
    return {
      code: response.ok ? null : String(answer?.code ?? 'unknown'),
      status: response.status,
      answer,
    };
  } catch {
    return { code: 'operator-offline', status: 0, answer: null };
  }
}
