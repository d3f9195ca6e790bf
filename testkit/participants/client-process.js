/** Participants without a browser, in a process of their own. */

import { serveParticipants } from './headless-participants.js';

serveParticipants();
