import { expect, inject, it } from 'vitest';
import { z } from 'zod';
import { freezeDuring, keepKilled, processOf } from './support/processes.ts';

const stack = inject('stack');

const CATALOG = 'services/catalog/src/main.ts';
const envelope = z.looseObject({ errorCode: z.string().default(''), requestId: z.string().default('') });

/** Requests data that only the catalog has. */
async function ask(): Promise<{ status: number; errorCode: string; hasId: boolean }> {
  const answer = await fetch(`${stack.baseUrl}/v1/applications`, {
    headers: { 'x-api-key': stack.account.apiKey },
  });
  const { errorCode, requestId } = envelope.parse(await answer.json());
  return { status: answer.status, errorCode, hasId: requestId === answer.headers.get('x-request-id') };
}

const untilWell = () =>
  expect.poll(async () => (await ask()).status, { timeout: 120_000, interval: 100 }).toBe(200);

it('[completion.everywhere.70] what needs a service that is down is 503 UNAVAILABLE, until it is back', async () => {
  await untilWell();
  const killing = keepKilled(stack, CATALOG);
  try {
    await expect.poll(ask).toEqual({ status: 503, errorCode: 'UNAVAILABLE', hasId: true });
  } finally {
    await killing.stop();
  }
  await untilWell();
});

it('[completion.everywhere.71] what needs a service that does not answer is 504 TIMEOUT once its deadline has passed', async () => {
  await untilWell();
  const seen = await freezeDuring(processOf(stack, CATALOG), ask);
  expect(seen).toEqual({ status: 504, errorCode: 'TIMEOUT', hasId: true });
  await untilWell();
});
