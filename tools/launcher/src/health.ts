import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const POLL_MS = 50;
const ANSWER_TIMEOUT_MS = 2_000;
/** Avoids idle connections, which a stopping service would wait for. */
const HANG_UP = { connection: 'close' };

const servingSchema = z.object({ status: z.literal('SERVING') });

/** Resolves when the service's grpc.health.v1 returns SERVING, over Connect JSON. */
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

/** Resolves when GET returns 2xx. */
export function untilOk(url: string, signal: AbortSignal): Promise<void> {
  return poll(() => isOk(url), signal);
}

/** Whether GET returns 2xx within two seconds. Never rejects. */
export async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: HANG_UP, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Nothing else bounds the wait: the process either responds, or ends and is reported. */
async function poll(ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await ask().catch(() => false))) await delay(POLL_MS, undefined, { signal });
}
