// A separate process: a vendor that does nothing but respond.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { reportReady } from '../child.ts';

const body = JSON.stringify({
  items: [
    { id: 'c1', name: 'Ada', email: null, company: null, phone: null, createdAt: '2026-01-01T00:00:00Z' },
  ],
  total: 1,
});
const head = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  response.writeHead(200, head).end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// A server that listens on TCP has an address of this kind.
reportReady({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
