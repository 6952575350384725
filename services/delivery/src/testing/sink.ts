import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request received by a sink. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of events on this machine. */
export interface Sink {
  readonly url: string;
  /** In order of arrival. */
  readonly received: readonly ReceivedRequest[];
  /** Maximum number of concurrent requests. */
  readonly atOnce: () => number;
  close(): Promise<void>;
}

/** Starts a receiver; `answer` returns the status of each response; a promise delays it. */
export async function startSink(
  answer: (request: ReceivedRequest) => number | Promise<number>,
): Promise<Sink> {
  const received: ReceivedRequest[] = [];
  let inProgress = 0;
  let atOnce = 0;
  // Keeps idle connections open: a busy client might reuse one that was just closed, and fail.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    inProgress += 1;
    atOnce = Math.max(atOnce, inProgress);
    const chunks: Buffer[] = [];
    const respond = async (one: ReceivedRequest): Promise<void> => {
      const status = await answer(one);
      inProgress -= 1;
      response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end();
    };
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
      received.push(one);
      void respond(one);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/in`,
    received,
    atOnce: () => atOnce,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
