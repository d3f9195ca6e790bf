import { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { answerCode } from '../../../server/request/body.js';

/** @param {import('../../../public/shared/errors.js').ErrorCode} code */
function answered(code) {
  const request = { method: 'POST', httpVersionMajor: 1, httpVersionMinor: 1, headers: {} };
  const response = new ServerResponse(/** @type {any} */ (request));
  expect(answerCode(response, code)).toBe(true);
  expect(answerCode(response, code)).toBe(false);
  return [response.statusCode, response.getHeader('WWW-Authenticate')];
}

it('an answer that asks for a token says by which scheme', () => {
  expect(answered('token-missing')).toEqual([401, 'Bearer']);
  expect(answered('not-found')).toEqual([404, undefined]);
});
