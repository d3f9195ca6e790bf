/**
 * The lab's participants without a browser, in a process of their own. Over WebTransport their
 * packets go as the server's URL asks (`--carry`).
 */

import { carrying } from '../../public/lab/runs/carry.js';
import { serveParticipants } from '../../testkit/participants/headless-participants.js';

serveParticipants({ wrapWebTransport: carrying });
