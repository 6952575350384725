import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const POLL_MS = 50;
const ANSWER_TIMEOUT_MS = 2_000;
/** A service that stops waits for the connections of idle clients. */
const HANG_UP = { connection: 'close' };

const servingSchema = z.object({ status: z.literal('SERVING') });

/** Resolves when the service answers SERVING to grpc.health.v1, asked over Connect JSON. */
export function untilServing(baseUrl: string, signal: AbortSignal): Promise<void> {
  const ask = async (): Promise<boolean> => {
    const response = await fetch(`${baseUrl}/grpc.health.v1.Health/Check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...HANG_UP },
      body: '{}',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return servingSchema.safeParse(await response.json()).success;
  };
  return poll(ask, signal);
}

/** Resolves when GET answers 2xx. */
export function untilOk(url: string, signal: AbortSignal): Promise<void> {
  return poll(() => isOk(url), signal);
}

/** Whether GET answers 2xx, within two seconds. Never rejects. */
export async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: HANG_UP, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Nothing else bounds the wait: the process that is asked either answers, or ends and is told of. */
async function poll(ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await ask().catch(() => false))) await delay(POLL_MS, undefined, { signal });
}
