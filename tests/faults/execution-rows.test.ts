import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { kill, processesOf, untilServing } from './support/processes.ts';
import { isEverything } from './support/selection.ts';

const stack = inject('stack');

const TOOLS = 'services/tools/src/main.ts';
const CALLS = isEverything ? 500 : 120;
const CALLERS = 16;
/** Answers between two kills. */
const ANSWERS_PER_KILL = 10;
const POLL_MS = 20;
/** After a call that failed: the other calls have to meet a replica that is well. */
const PAUSE_MS = 300;

const created = z.object({ id: z.int() });
const executed = z.object({ historyId: z.int() });

/** A vendor that remembers the calls that reached it, by the last segment of their path. */
async function startVendor() {
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') seen.add(request.url?.split('/').at(-1) ?? '');
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on TCP has an address of this kind.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, url, close: () => server.closeAllConnections() ?? server.close() };
}

async function post(
  path: string,
  json: unknown,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const answer = await fetch(new URL(path, stack.baseUrl), {
      method: 'POST',
      headers: { 'x-api-key': stack.account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: 0, body: undefined };
  }
}

it('kill -9 of tools at random: every call that was answered, and every one that the vendor saw, has its row', async () => {
  const vendor = await startVendor();
  const mongo = await MongoClient.connect(stack.mongodbUri);
  const stopping = new AbortController();
  const answered = new Map<string, number>();
  const killing = (async () => {
    let kills = 0;
    while (!stopping.signal.aborted) {
      await delay(POLL_MS);
      const running = processesOf(stack, TOOLS);
      const victim = running[Math.floor(Math.random() * running.length)];
      const isDue = running.length > 1 && answered.size >= (kills + 1) * ANSWERS_PER_KILL;
      if (victim === undefined || !isDue) continue;
      // The others take the calls.
      await Promise.all(running.map(untilServing));
      kill(victim);
      kills += 1;
    }
    return kills;
  })();
  try {
    const connection = await post('/v1/connections', {
      applicationSlug: 'http',
      connectionName: 'Killed',
      authenticationId: 3,
      fields: { baseUrl: vendor.url, token: 'not-in-any-row' },
    });
    const { id } = created.parse(connection.body);
    const path = `/v1/tools/http-send-request/execute?connectionId=${id}`;
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let number = (next += 1); number <= CALLS; number = next += 1) {
        const name = `call-${number}`;
        const { status, body } = await post(path, { fields: { method: 'POST', url: `/${name}` } });
        if (status === 200) answered.set(name, executed.parse(body).historyId);
        else await delay(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    stopping.abort();
    const kills = await killing;

    const rows = await mongo
      .db('fairlead_tools')
      .collection<{ _id: number; fields: string }>('executions')
      .find({ accountId: stack.account.accountId, connectionId: id })
      .toArray();
    const recorded = new Map(rows.map(({ _id, fields }) => [_id, fields]));
    const missing = [...answered].filter(([name, row]) => recorded.get(row)?.includes(`"/${name}"`) !== true);
    const unseen = [...vendor.seen].filter(
      (name) => !rows.some(({ fields }) => fields.includes(`"/${name}"`)),
    );
    console.log({ kills, answered: answered.size, seen: vendor.seen.size, rows: rows.length });
    expect({ missing, unseen }).toEqual({ missing: [], unseen: [] });
    expect(kills).toBeGreaterThan(0);
    expect(answered.size).toBeGreaterThan(0);
  } finally {
    stopping.abort();
    await killing;
    await mongo.close();
    vendor.close();
  }
});
