import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a sink got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver of events on this machine. */
export interface Sink {
  readonly url: string;
  /** In the order of arrival. */
  readonly received: readonly Received[];
  /** Most requests that were in progress at once. */
  readonly atOnce: () => number;
  close(): Promise<void>;
}

/** Starts a receiver; `answer` gives the status of each response, when it resolves. */
export async function startSink(answer: (request: Received) => number | Promise<number>): Promise<Sink> {
  const received: Received[] = [];
  let inProgress = 0;
  let atOnce = 0;
  // It closes no idle connection: on a busy machine an attempt would be sent on one that was just closed, and fail.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    inProgress += 1;
    atOnce = Math.max(atOnce, inProgress);
    const chunks: Buffer[] = [];
    const respond = async (one: Received): Promise<void> => {
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
