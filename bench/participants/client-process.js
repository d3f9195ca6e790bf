/**
 * The lab's participants without a browser, in a process of their own. Over WebTransport their
 * packets go as the server's URL asks (`--carry`).
 */

import { serveParticipants } from '../../testkit/participants/headless-participants.js';
import { carrying } from '../plugin/page/carry.js';

serveParticipants({ wrapWebTransport: carrying });
