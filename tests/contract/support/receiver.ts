import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { expectStatus } from './accounts.ts';
import { get, patch, post } from './api.ts';

/** How long a test waits for a delivery, for busy machines. */
export const SOON = { timeout: 90_000, interval: 200 };

/** A received request. */
export interface EventRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** A receiver of events on this machine. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver that answers with the status in its path, unless another one was set for the path. */
export async function startReceiver() {
  const received: EventRequest[] = [];
  const answers = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const atMs = Date.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), atMs });
      if (path.startsWith('/reset')) return void request.socket.resetAndDestroy();
      if (path.startsWith('/hang')) return;
      const status = answers.get(path) ?? Number(path.split('/')[1]);
      response.writeHead(status, { 'retry-after': '1', location: `${base}/200/redirected` });
      if (path.includes('/endless')) response.write('a body that never ends');
      else response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let made = 0;

  return {
    received,

    /** A destination with its own address, which answers with that status until another one is set. */
    async destinationOf(status: number | string, members: Record<string, unknown> = {}) {
      made += 1;
      const path = `/${status}/${made}`;
      const sent = { url: `${base}${path}`, ...members };
      const { id, signingSecret } = expectStatus(await post('/v1/triggers/destinations', sent), 201).body;
      const one = `/v1/triggers/destinations/${String(id)}`;
      const requests = (): EventRequest[] => received.filter((each) => each.path === path);
      const read = async () => expectStatus(await get(one), 200).body;
      const change = async (body: unknown) => expectStatus(await patch(one, body), 200);
      const answerWith = (next: number): void => void answers.set(path, next);
      return { id: String(id), secret: String(signingSecret), requests, read, change, answerWith };
    },

    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The inbound address of a new trigger for these destinations, and the trigger's id. */
export async function hookTo(...destinationIds: readonly string[]) {
  const sent = { name: 'Delivered', triggerTypeSlug: 'http_webhook', destinationIds };
  const { id, inboundUrl } = expectStatus(await post('/v1/triggers', sent), 201).body;
  const fire = async (body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(String(inboundUrl), { method: 'POST', body, headers });
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { id: string }).id;
  };
  return { triggerId: String(id), fire };
}

/** The event with that id and its attempts. */
export const detail = async (id: string) => expectStatus(await get(`/v1/triggers/events/${id}`), 200).body;

/** The attempts of an event, once at least `count` have ended. */
export async function attemptsAfter(id: string, count: number): Promise<any[]> {
  await expect
    .poll(async () => (await detail(id)).attempts[count - 1]?.duration_ms ?? null, SOON)
    .not.toBeNull();
  return (await detail(id)).attempts;
}
