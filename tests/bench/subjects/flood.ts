// A separate process in the role of a hostile account: a vendor that accepts connections and never answers, and many concurrent requests.
import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { handleWith, reportReady } from '../child.ts';
import type { FloodRequest, FloodReport } from '../requests.ts';

let atVendor = 0;
const vendor = createServer((socket) => {
  atVendor += 1;
  socket.on('error', () => undefined);
});
vendor.listen(0, '127.0.0.1');
await once(vendor, 'listening');

let sockets: Socket[] = [];
let statuses: Record<string, number> = {};

function send({
  url,
  headers,
  body,
}: Extract<FloodRequest, { readonly kind: 'start' }>['calls'][number]): void {
  const { hostname, port, host, pathname, search } = new URL(url);
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.on('error', () => undefined);
  socket.once('data', (chunk: Buffer) => {
    const status = chunk.toString('latin1', 9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
  });
  socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${head}\r\n${body}`);
  sockets.push(socket);
}

handleWith(async (request: FloodRequest): Promise<FloodReport> => {
  if (request.kind === 'start') {
    [sockets, statuses, atVendor] = [[], {}, 0];
    for (const call of request.calls) send(call);
  }
  if (request.kind === 'end') for (const socket of sockets) socket.destroy();
  return Promise.resolve({ statuses, atVendor });
});
// A server that listens on TCP has an address of this kind.
reportReady({ vendorUrl: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/` });
