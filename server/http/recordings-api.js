/**
 * @import { NextFunction, Request, Response, Router } from 'express'
 * @import { Recordings } from '../recording/recordings.js'
 */

import express from 'express';
import { refuseOperator } from './operator.js';
import { answerError } from '../transport/http-body.js';

/**
 * What was recorded, for who knows the recording's id: /api/recordings/<id>/.
 *
 * @param {object} options
 * @param {Pick<Recordings, 'describe' | 'locate' | 'remove'>} options.recordings
 * @param {string | null} options.operatorToken null where nobody may delete
 * @returns {Router}
 */
export function recordingsApi({ recordings, operatorToken }) {
  const api = express.Router();
  api.get('/:id', async (request, response) => {
    const description = await recordings.describe(request.params.id);
    if (description) response.json(description);
    else answerError(response, 'not-found');
  });
  api.get('/:id/:file', (request, response, next) => {
    const found = recordings.locate(request.params.id, request.params.file);
    if (found) sendRecording(response, found, next);
    else answerError(response, 'not-found');
  });
  api.delete('/:id', async (request, response) => {
    if (refuseOperator(request, response, operatorToken)) return;
    if (await recordings.remove(request.params.id)) response.status(204).end();
    else answerError(response, 'not-found');
  });
  return api;
}

/**
 * @param {Response} response
 * @param {{ root: string, file: string }} found
 * @param {NextFunction} next  answers what can't be sent, such as a range beyond the file's end
 */
function sendRecording(response, { root, file }, next) {
  const headers = { 'Content-Type': 'audio/ogg; codecs=opus', 'Content-Disposition': `attachment; filename="${file}"` };
  // No caches between: the id is a secret, and a recording can be deleted.
  response.sendFile(file, { root, headers, cacheControl: false, dotfiles: 'allow' }, (error) => {
    if (error && !response.headersSent && !response.destroyed) next(error);
  });
}
