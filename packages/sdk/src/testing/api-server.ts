import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it reached the server. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path and the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As sent. */
  readonly body: string;
}

/** The response of a test's server: a status with headers and a JSON body, or a function that writes the response itself. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | ((response: ServerResponse) => void);

/** A real HTTP server with the test's responses, and the requests that it received. */
export interface ApiServer {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts one on a free port of loopback; `answer` is called for every request, with an `index` that counts from 0. */
export async function startApiServer(
  answer: (request: ReceivedRequest, index: number) => Reply | Promise<Reply>,
): Promise<ApiServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
      const { method = '', url: path = '', headers } = request;
      const entry = { method, path, headers, body };
      const reply = await answer(entry, received.push(entry) - 1);
      if (typeof reply === 'function') return reply(response);
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The API's error envelope. */
export function refusal(
  status: number,
  errorCode: string,
  headers: Record<string, string> = {},
  more: object = {},
): Reply {
  const envelope = { errorCode, message: `Refused: ${errorCode}.`, requestId: 'req-1', timestamp: 'now' };
  return { status, headers, body: { ...envelope, ...more } };
}
