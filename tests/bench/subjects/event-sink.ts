// A separate process that receives events and records their arrival; addresses below /hang answer after 10 s.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { handleWith, reportReady } from '../child.ts';
import type { SinkReport, SinkRequest } from '../requests.ts';
import { quantile } from '../statistics.ts';

const HANGS_MS = 10_000;
const POLL_MS = 5;

/** Milliseconds between call and arrival, by event id. */
let latencies = new Map<string, number>();
let duplicates = 0;
let lastAtMs = 0;

const server = createServer((request, response) => {
  const atMs = Date.now();
  const answer = (): void => void response.writeHead(200, { 'content-length': 0 }).end();
  const isHanging = request.url?.startsWith('/hang') === true;
  let text = '';
  request.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    if (isHanging) return void delay(HANGS_MS).then(answer);
    answer();
    const id = String(request.headers['webhook-id']);
    if (latencies.has(id)) duplicates += 1;
    else latencies.set(id, atMs - Number(/"sentAtMs":(\d+)/.exec(text)?.[1]));
    lastAtMs = atMs;
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

/** Waits until this many events have arrived, reports and then forgets them. */
async function report({ count, limitMs }: SinkRequest): Promise<SinkReport> {
  const deadline = Date.now() + limitMs;
  while (latencies.size < count && Date.now() < deadline) await delay(POLL_MS);
  const all = [...latencies.values()];
  const reported = {
    arrived: all.length,
    duplicates,
    p50Ms: quantile(all, 0.5),
    p99Ms: quantile(all, 0.99),
    maxMs: quantile(all, 1),
    lastAtMs,
  };
  latencies = new Map();
  duplicates = 0;
  return reported;
}

handleWith(report);
// A server that listens on TCP has an address of this kind.
reportReady({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
