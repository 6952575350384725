// The lower bound: node:http that only returns the record.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reportReady } from '../child.ts';
import { connectionJson } from './record.ts';

const server = createServer((request, response) => {
  // Bodies are read, because RPCs are compared with this, too.
  request.resume();
  request.on('end', () => {
    const text = JSON.stringify(connectionJson);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has an address of this type
  reportReady({ url: `http://127.0.0.1:${port}` });
});
