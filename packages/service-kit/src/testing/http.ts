import { systemClock } from '../clock.ts';
import { createHttpApp } from '../http/app.ts';
import type { HttpAppOptions } from '../http/app.ts';
import { startHttpServer } from '../http/server.ts';
import { captureLog } from './log-lines.ts';

/** The HTTP side of a service on a free port. */
export interface TestHttpService {
  readonly url: string;
  /** Every log line so far. */
  readonly lines: ReturnType<typeof captureLog>['lines'];
  /** The log line of a finished request. It is written after the response, which the client may receive first. */
  lineOf(requestId: string | null): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const POLL_MS = 5;

/** Starts the real HTTP side on a real port with the given parts. */
export async function startHttpService(o: Partial<HttpAppOptions>): Promise<TestHttpService> {
  const { log, lines } = captureLog();
  const handler = createHttpApp({
    pages: [],
    pageTimeoutMs: 60_000,
    mounts: [],
    paths: [],
    log,
    clock: systemClock,
    ...o,
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler });
  return {
    url: server.url,
    lines,
    async lineOf(requestId) {
      for (;;) {
        const line = lines().find((it) => it.msg === 'request' && it['requestId'] === requestId);
        if (line !== undefined) return line;
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    close: async () => void (await server.drain({ delayMs: 0, graceMs: 1000 })),
  };
}

/** A response in a form for tests. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The members of a JSON object, and the raw `text`. */
  readonly body: Record<string, unknown>;
}

/** A request in a form for tests; a `json` body is sent as JSON. */
export interface Call {
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

/** Sends a request and reads the whole response; redirects are not followed. */
export async function callHttp(
  server: { readonly url: string },
  method: string,
  path: string,
  o: Call = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { ...(o.json !== undefined && { 'content-type': 'application/json' }), ...o.headers },
    ...(o.json === undefined ? o.body !== undefined && { body: o.body } : { body: JSON.stringify(o.json) }),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    // `text` distinguishes null from absent bodies.
    body: isJson ? { ...(JSON.parse(text) as object), text } : { text },
  };
}
