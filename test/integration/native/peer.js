/**
 * A process with one end of a session in it, for tests that watch it end or kill it.
 *
 *     node peer.js echo                a server and a client of it, then close
 *     node peer.js hold <url> <hash>   a client that stays until it is killed
 */
import { Endpoint } from '@aloud/native';
import { generateCertificate } from '../../../server/certificate/generate.js';

const [mode, url, hash] = process.argv.slice(2);
const client = new Endpoint({ keepAliveMs: 100 });

if (mode === 'hold') {
  await client.connect(url, { certificateHashes: [hash] });
  console.log('connected');
} else {
  const certificate = await generateCertificate({ hosts: ['localhost'], now: new Date() });
  const server = new Endpoint();
  const { port } = await server.listen({
    ...certificate,
    onRequest: (request) => request.accept(),
    onSession: (session) => {
      session.onDatagram = (bytes) => void session.send(bytes);
    },
  });
  const session = await client.connect(`https://localhost:${port}/`, {
    certificateHashes: [certificate.hash],
  });
  await new Promise((resolve) => {
    session.onDatagram = resolve;
    session.send(new Uint8Array(10));
  });
  await client.close();
  await server.close();
  console.log('closed');
}
