// A separate process that calls triggers' inbound addresses, each call with its own Idempotency-Key and send time.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { handleWith, reportReady } from '../child.ts';
import type { FireReport, FireRequest } from '../requests.ts';

const agent = new Agent({ connections: 32 });

async function fire(url: string): Promise<boolean> {
  const { statusCode, body } = await request(url, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ sentAtMs: Date.now(), order: { id: 4711, lines: ['anchor', 'rope', 'buoy'] } }),
  });
  await body.dump();
  return statusCode === 202;
}

/** Sequential calls by each caller, or calls at a fixed rate, independent of the answers. */
async function fireAll({ urls, count, callers, perSecond }: FireRequest): Promise<FireReport> {
  let failures = 0;
  let started = 0;
  const isLeft = (): boolean => started < count;
  const next = async (): Promise<void> => {
    const isAcknowledged = await fire(urls[started++ % urls.length] ?? '').catch(() => false);
    if (!isAcknowledged) failures += 1;
  };
  const startedAt = performance.now();
  if (perSecond === undefined) {
    const caller = async (): Promise<void> => {
      while (isLeft()) await next();
    };
    await Promise.all(Array.from({ length: callers }, caller));
  } else {
    const calls: Promise<void>[] = [];
    while (isLeft()) {
      const dueMs = startedAt + (started * 1_000) / perSecond - performance.now();
      if (dueMs > 0) await delay(dueMs);
      calls.push(next());
    }
    await Promise.all(calls);
  }
  return { failures, seconds: (performance.now() - startedAt) / 1_000 };
}

handleWith(fireAll);
reportReady({});
