// A separate process that calls inbound addresses with large bodies, over connections with sequential calls. Bodies are sent from one
// buffer, so that the flood itself costs little.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { handleWith, reportReady } from '../child.ts';
import type { BodyFloodReport, BodyFloodRequest } from '../requests.ts';

const CHUNK_BYTES = 64 * 1024;
const RECONNECT_MS = 10;

/** The calls, in turn: each address with a Content-Length body, and with a chunked one. */
function callsOf(urls: readonly string[], bytes: number): readonly Buffer[] {
  const body = Buffer.from(`{"text":"${'x'.repeat(bytes - 11)}"}`);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  const chunked = Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
  return urls.flatMap((url) => {
    const { host, pathname } = new URL(url);
    const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
    return [
      Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]),
      Buffer.concat([Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`), chunked]),
    ];
  });
}

/** One flood, until it is ended. */
class Flood {
  readonly #calls: readonly Buffer[];
  readonly #sockets = new Set<Socket>();
  readonly #statuses: Record<string, number> = {};
  readonly #startedAt = performance.now();
  #withoutRetryAfter = 0;
  #next = 0;
  #isOver = false;

  constructor({ urls, bytes, sockets }: Extract<BodyFloodRequest, { readonly kind: 'start' }>) {
    this.#calls = callsOf(urls, bytes);
    const { hostname, port } = new URL(urls[0] ?? '');
    for (let left = sockets; left > 0; left -= 1) this.#open(hostname, Number(port));
  }

  report(): BodyFloodReport {
    return {
      statuses: { ...this.#statuses },
      withoutRetryAfter: this.#withoutRetryAfter,
      seconds: (performance.now() - this.#startedAt) / 1_000,
    };
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(host: string, port: number): void {
    if (this.#isOver) return;
    const socket = connect({ host, port, noDelay: true });
    this.#sockets.add(socket);
    let received = '';
    const call = (): void => {
      const request = this.#calls[this.#next++ % this.#calls.length];
      if (request !== undefined) socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('connect', call);
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\r\n\r\n') + 4;
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1]);
      if (end < 4 || received.length < end + length) return;
      this.#count(received.slice(0, end));
      received = '';
      call();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(host, port), RECONNECT_MS);
    });
  }

  #count(head: string): void {
    const status = head.slice(9, 12);
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const isRefused = status === '429' || status === '503';
    if (isRefused && !/\r\nretry-after: \d+\r\n/i.test(head)) this.#withoutRetryAfter += 1;
  }
}

let flood: Flood | undefined;
const NOTHING: BodyFloodReport = { statuses: {}, withoutRetryAfter: 0, seconds: 0 };

handleWith((request: BodyFloodRequest): Promise<BodyFloodReport> => {
  if (request.kind === 'start') flood = new Flood(request);
  const report = flood?.report() ?? NOTHING;
  if (request.kind === 'end') flood?.end();
  return Promise.resolve(report);
});
reportReady({});
