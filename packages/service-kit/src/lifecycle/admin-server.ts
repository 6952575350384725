import http from 'node:http';
import { listen } from '../http/listen.ts';
import { METRICS_TYPE } from '../telemetry/metrics.ts';

/** The port for operators. */
export interface AdminServer {
  /** The base address with the bound port. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` (the text of `metrics`) and `GET /livez` (200 while the event loop runs; it queries no store,
 * because an unavailable database must not restart services). Rejects with a clear message if the port is taken.
 */
export async function startAdminServer(o: {
  readonly host: string;
  readonly port: number;
  readonly metrics: () => string;
}): Promise<AdminServer> {
  const pages: Readonly<Record<string, () => readonly [type: string, text: string]>> = {
    '/metrics': () => [METRICS_TYPE, o.metrics()],
    '/livez': () => ['text/plain; charset=utf-8', 'ok\n'],
  };
  const server = http.createServer((request, response) => {
    const page = pages[request.url?.split('?', 1)[0] ?? ''];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (page === undefined || !isRead) {
      response.writeHead(page === undefined ? 404 : 405).end();
      return;
    }
    const [type, text] = page();
    response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
  });
  const url = await listen(server, { host: o.host, port: o.port, setting: 'ADMIN_PORT' });
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
