// A separate process that calls an HTTP server, so that its own cost is not part of the server's.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { handleWith, reportReady } from '../child.ts';
import { closedLoop } from '../closed-loop.ts';
import type { LoadRequest } from '../requests.ts';

/** A GET or POST on its own kept-alive connection, with minimal work, so that latencies are the server's. */
class RawRequest {
  readonly #socket: Socket;
  readonly #next: () => Buffer;
  #received = '';
  #settle: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(url: string, next: () => Buffer) {
    const { hostname, port } = new URL(url);
    this.#next = next;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#take(text));
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error('The connection was closed.')));
  }

  call(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(this.#next());
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(this.#received.slice(0, end + 2))?.[1];
    if (length === undefined) throw new Error('The bench reads answers with a content-length only.');
    if (this.#received.length < end + 4 + Number(length)) return;
    const isOk = /^HTTP\/1\.1 20[02] /.test(this.#received);
    this.#received = '';
    if (isOk) this.#settle?.resolve();
    else this.#settle?.reject(new Error('The answer is not 200 or 202.'));
  }
}

/** Returns the bytes of the next request. */
function requestsInTurn({ url, headers, body, queries }: LoadRequest): () => Buffer {
  const { host, pathname, search } = new URL(url);
  const content =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...content }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const requests = (queries ?? [search]).map((query) =>
    Buffer.from(
      `${body === undefined ? 'GET' : 'POST'} ${pathname}${query} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`,
    ),
  );
  let turn = 0;
  return () => {
    const request = requests[turn % requests.length];
    if (request === undefined) throw new Error('There is no request.');
    turn += 1;
    return request;
  };
}

handleWith(async (request: LoadRequest) => {
  const next = requestsInTurn(request);
  const requests = Array.from({ length: request.callers }, () => new RawRequest(request.url, next));
  const result = await closedLoop(
    requests.map((one) => () => one.call()),
    request.durationMs,
  );
  for (const one of requests) one.close();
  return result;
});
reportReady({});
