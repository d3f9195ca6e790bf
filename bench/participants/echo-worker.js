/** A worker thread that echoes datagrams of the sessions handed to it: see bench/handover.js. */

import { parentPort, workerData } from 'node:worker_threads';
import { Port } from '@aloud/native';

const port = Port.open(workerData, {
  onSession: (session) => void (session.onDatagram = (bytes) => void session.send(bytes)),
});
parentPort?.postMessage(port.number);
// The thread stays for as long as somebody may say something to it.
parentPort?.on('message', () => {});
