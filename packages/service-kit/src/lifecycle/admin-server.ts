import http from 'node:http';
import { METRICS_TYPE } from '../telemetry/metrics.ts';

/** The port for operators. */
export interface AdminServer {
  /** Base address as bound. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` (what `metrics` gives) and `GET /livez` (200 while the event loop turns; it asks no store, so
 * that a database in trouble restarts no service). Rejects with a clear message when the port is taken.
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
  const url = await listen(server, o.host, o.port);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: http.Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`Cannot listen on ${host}:${port} (ADMIN_PORT): ${error.message}`, { cause: error }));
    });
    server.listen({ host, port }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The server has no TCP address.');
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}
