import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as a subscriber received it. */
export interface ReceivedDelivery {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A webhook subscriber for one test. */
export interface WebhookSink {
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  /** Resolves once this many deliveries have arrived. */
  arrivals(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts a subscriber that answers the first deliveries with `statuses`, and all further ones with 204. */
export async function startWebhookSink(...statuses: readonly number[]): Promise<WebhookSink> {
  const received: ReceivedDelivery[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      received.push({ headers: req.headers, body: Buffer.concat(parts).toString() });
      res.writeHead(statuses[received.length - 1] ?? 204).end();
      for (const check of waiting) check();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    arrivals: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
