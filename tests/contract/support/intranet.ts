import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request received in the agent's network. */
interface IntranetRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server in the agent's network. */
export interface Intranet {
  readonly url: string;
  readonly requests: IntranetRequest[];
  /** Maximum number of concurrent requests. */
  most(): number;
  /** Answers the waiting requests to /held, and later ones at once. */
  release(): void;
}

/** Starts a server that answers with `{"ok":true}`; to /held only after a release; to /redirect?to=… with that redirect. */
export async function startIntranet(): Promise<Intranet> {
  const requests: IntranetRequest[] = [];
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const server = createServer((request, response) => {
    running += 1;
    most = Math.max(most, running);
    response.on('close', () => (running -= 1));
    const url = new URL(request.url ?? '', 'http://intranet');
    const answer = async (): Promise<void> => {
      const body = await text(request);
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      if (url.pathname === '/held') await gate.promise;
      const to = url.searchParams.get('to');
      response.setHeader('content-type', 'application/json');
      if (to !== null) response.setHeader('location', to).writeHead(302);
      response.end('{"ok":true}');
    };
    void answer().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, most: () => most, release: () => gate.resolve() };
}
