import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { post } from './support/api.ts';
import { killAtRandom } from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const FIRINGS = isEverything ? 5_000 : 240;
const CALLERS = 8;
/** Acknowledged firings between two kills of each service. */
const FIRINGS_PER_KILL = isEverything ? 50 : 60;
const PAUSE_MS = 300;
/** The lease of a delivery whose replica was killed, and its next attempt. */
const ARRIVAL = { timeout: 240_000, interval: 500 };

const created = z.object({ id: z.string() });
const createdTrigger = z.object({ inboundUrl: z.url() });
const captured = z.object({ id: z.string() });

/** A receiver that answers 200, and the bodies that it got of each event. */
async function startReceiver() {
  const bodies = new Map<string, string[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      bodies.set(id, [...(bodies.get(id) ?? []), Buffer.concat(chunks).toString('utf8')]);
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/events`, bodies, close };
}

/** Calls an address of a trigger once; undefined: nobody has acknowledged it. */
async function fire(inboundUrl: string, number: number): Promise<string | undefined> {
  try {
    const answer = await fetch(inboundUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ number }),
    });
    return answer.status === 202 ? captured.parse(await answer.json()).id : undefined;
  } catch {
    return undefined;
  }
}

it(
  'kill -9 of triggers and delivery at random: every event that was acknowledged arrives, each time with the same bytes',
  { timeout: 900_000 },
  async () => {
    const receiver = await startReceiver();
    const destination = created.parse((await post('/v1/triggers/destinations', { url: receiver.url })).body);
    const triggers = await Promise.all(
      Array.from({ length: 4 }, async (_, at) => {
        const sent = {
          name: `Killed ${at}`,
          triggerTypeSlug: 'http_webhook',
          destinationIds: [destination.id],
        };
        return createdTrigger.parse((await post('/v1/triggers', sent)).body).inboundUrl;
      }),
    );
    const acknowledged = new Set<string>();
    const kills = ['triggers', 'delivery'].map((name) =>
      killAtRandom(stack, `services/${name}/src/main.ts`, {
        per: FIRINGS_PER_KILL,
        done: () => acknowledged.size,
      }),
    );
    try {
      const caller = async (at: number): Promise<void> => {
        while (acknowledged.size < FIRINGS) {
          await Promise.all(kills.map((each) => each.next()));
          const id = await fire(triggers[at % triggers.length] ?? '', acknowledged.size);
          if (id === undefined) await delay(PAUSE_MS);
          else acknowledged.add(id);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(at)));
      const killed = await Promise.all(kills.map((each) => each.stop()));
      const missing = (): string[] => [...acknowledged].filter((id) => !receiver.bodies.has(id));
      await expect.poll(() => missing().length, ARRIVAL).toBe(0);
      const all = [...receiver.bodies.values()];
      const duplicates = all.reduce((sum, { length }) => sum + length - 1, 0);
      console.log({ killed, acknowledged: acknowledged.size, lost: missing().length, duplicates });
      expect(all.filter((bodies) => new Set(bodies).size > 1)).toEqual([]);
      expect(Math.min(...killed)).toBeGreaterThan(0);
    } finally {
      await Promise.all(kills.map((each) => each.stop()));
      receiver.close();
    }
  },
);
