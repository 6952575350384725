import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** A request that a receiver has answered, or is about to. */
export interface SinkEntry {
  readonly eventId: string;
  readonly attempt: number;
  readonly path: string;
  readonly status: number;
  readonly receivedAtMs: number;
  readonly bodyHash: string;
  /** The number that the caller put into the event. */
  readonly number: number;
}

/** A receiver of events whose log is written to disk before it answers. */
export interface EventSink {
  readonly url: string;
  /** The entries of the log, in order of arrival. */
  entries(): readonly SinkEntry[];
  close(): void;
}

/** Options of a receiver; by default it answers at once, with the status at the beginning of the path. */
export interface SinkOptions {
  /** Delay of the answer; a function is called for each request. */
  readonly delayMs?: number | (() => number);
  /** The address at which it listens. Default: loopback. */
  readonly host?: string;
  readonly onRequest?: (headers: IncomingHttpHeaders, body: Buffer) => void;
  /** Extracts the number from a payload; by default from calls of `createFirings`. */
  readonly numberOf?: (payload: unknown) => number;
  /** The answer's status, if it differs. */
  readonly statusOf?: (request: Pick<SinkEntry, 'attempt' | 'number'>) => number | undefined;
}

const sent = z.object({ payload: z.unknown() });
const fired = z.object({ body: z.object({ number: z.int() }) });

/** Starts a receiver; it answers with the status at the beginning of the path, after `delayMs`. */
export async function startEventSink({
  delayMs = 0,
  host = '127.0.0.1',
  onRequest = () => undefined,
  numberOf = (payload) => fired.parse(payload).body.number,
  statusOf = () => undefined,
}: SinkOptions = {}): Promise<EventSink> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-test-sink-'));
  const path = join(folder, 'log.jsonl');
  const log = openSync(path, 'a');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      onRequest(request.headers, body);
      const { pathname } = new URL(request.url ?? '', 'http://sink');
      const attempt = Number(request.headers['fairlead-attempt']);
      const number = numberOf(sent.parse(JSON.parse(body.toString('utf8'))).payload);
      const status = statusOf({ attempt, number }) ?? Number(pathname.split('/')[1]);
      const entry: SinkEntry = {
        eventId: String(request.headers['webhook-id']),
        attempt,
        path: pathname,
        status,
        receivedAtMs: Date.now(),
        bodyHash: createHash('sha256').update(body).digest('hex'),
        number,
      };
      writeSync(log, `${JSON.stringify(entry)}\n`);
      fsyncSync(log);
      void delay(typeof delayMs === 'number' ? delayMs : delayMs()).then(() =>
        response.writeHead(status).end(),
      );
    });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    entries: () =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as SinkEntry), // written above
    close() {
      server.closeAllConnections();
      server.close();
      closeSync(log);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
