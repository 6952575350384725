import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that a test server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A response of a test server. Its body is sent as JSON unless it is text or bytes; `destroy` closes the connection. */
export interface TestResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly destroy?: true;
  /** Repeated after a text body, as fast as it is read, until the client disconnects; then `onGone` gets the number of bytes. */
  readonly endless?: { readonly part: string; readonly onGone: (sentBytes: number) => void };
}

/** A running test server, and its received requests. */
export interface TestServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

function sendEndlessly(
  outgoing: ServerResponse,
  body: string,
  { part, onGone }: NonNullable<TestResponse['endless']>,
): void {
  let sent = outgoing.write(body) ? body.length : 0;
  const write = (): void => {
    while (!outgoing.destroyed && outgoing.write(part)) sent += part.length;
  };
  outgoing.on('drain', write);
  outgoing.on('close', () => onGone(sent));
  write();
}

/** Starts a real HTTP server on a free loopback port. A promise that never settles simulates a vendor that never responds. */
export async function startTestServer(
  respond: (request: ReceivedRequest, count: number) => TestResponse | Promise<TestResponse>,
): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const handle = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      // The chunks are buffers, because no encoding is set.
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const url = new URL(incoming.url ?? '/', 'http://server');
      const request = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      requests.push(request);
      const { status = 200, headers = {}, body, destroy, endless } = await respond(request, requests.length);
      if (destroy) {
        incoming.socket.destroy();
        return;
      }
      const isRaw = typeof body === 'string' || body instanceof Uint8Array;
      const defaults: Record<string, string> =
        isRaw || body === undefined ? {} : { 'content-type': 'application/json' };
      outgoing.writeHead(status, { ...defaults, ...headers });
      if (endless === undefined) outgoing.end(isRaw ? body : JSON.stringify(body));
      else sendEndlessly(outgoing, String(body), endless);
    };
    handle().catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
