import type { AddressInfo, Server } from 'node:net';

/** Binds `server` and returns its base address; rejects with a one-line message if it cannot. */
export function listen(
  server: Server,
  o: {
    readonly host: string;
    readonly port: number;
    /** The variable with the port, if it is not the service's main one. */
    readonly setting?: string;
  },
): Promise<string> {
  const hint = o.setting === undefined ? '' : ` (${o.setting})`;
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`Cannot listen on ${o.host}:${o.port}${hint}: ${error.message}`, { cause: error }));
    });
    server.listen({ host: o.host, port: o.port }, () => resolve(baseUrl(server.address())));
  });
}

function baseUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP address.');
  // A wildcard address cannot be connected to.
  const host =
    address.address === '0.0.0.0' ? '127.0.0.1' : address.address === '::' ? '::1' : address.address;
  return address.family === 'IPv6' ? `http://[${host}]:${address.port}` : `http://${host}:${address.port}`;
}
