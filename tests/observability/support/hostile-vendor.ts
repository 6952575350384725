import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A vendor that echoes requests. */
export interface HostileVendor {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a vendor that repeats a call's credentials, decoded and encoded, in its refusals: `/cut` breaks the connection within the
 * response; every other path returns 401 with them in body, reason and headers.
 */
export async function startHostileVendor(): Promise<HostileVendor> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const told = [JSON.stringify(request.headers), request.url ?? '', body];
  const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  told.push(Buffer.from(basic, 'base64').toString(), Buffer.from(told[0] ?? '').toString('base64'));
  const message = `not allowed: ${told.join(' / ')}`;
  if (request.url?.startsWith('/cut') === true) {
    response.writeHead(200, { 'content-length': '100000' });
    response.write(message, () => response.destroy());
    return;
  }
  response.writeHead(401, 'Not allowed', {
    'content-type': 'application/json',
    'www-authenticate': `Bearer error="invalid_token", error_description="${encodeURIComponent(told[0] ?? '')}"`,
  });
  response.end(JSON.stringify({ error: { message }, message }));
}
