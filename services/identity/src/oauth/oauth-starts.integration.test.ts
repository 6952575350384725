import { ManualClock } from '@fairlead/service-kit/clock';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack } from '../testing/oauth-stack.ts';

let stack: OAuthStack;
beforeAll(async () => {
  // The clock stands still, so that no further start becomes available.
  stack = await startOAuthStack(
    { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') },
    { clock: new ManualClock(new Date()) },
  );
});
afterAll(() => stack.close());

/** One more than the limit of starts at once. */
const FLOOD = 301;
/** More concurrent requests would only queue, and time out on a busy machine. */
const AT_A_TIME = 25;

// No connection is reused: the service may close an idle connection just as the next request is sent on it.
const CLOSE = { connection: 'close' };
const authorizeFrom = (address: string): Promise<Response> =>
  fetch(`${stack.publicUrl}/oauth/authorize?client_id=nobody`, {
    headers: { ...CLOSE, 'x-test-address': address },
  });
const startDeviceFrom = (address: string): Promise<Response> =>
  fetch(`${stack.publicUrl}/oauth/device/authorize`, {
    method: 'POST',
    headers: { ...CLOSE, 'x-test-address': address },
    body: new URLSearchParams({ client_id: 'fairlead-cli' }),
  });

/** Sends a flood of requests from one address; returns the last response. */
async function oneRefusal(send: () => Promise<Response>): Promise<Response> {
  const answers: Response[] = [];
  while (answers.length < FLOOD) {
    const length = Math.min(AT_A_TIME, FLOOD - answers.length);
    answers.push(...(await Promise.all(Array.from({ length }, send))));
  }
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(1);
  return refused[0] ?? Response.error();
}

describe('a flood of sign-ins that one address begins', () => {
  test('is refused with a page that says so, and leaves others alone', async () => {
    const refused = await oneRefusal(() => authorizeFrom('198.51.100.1'));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await refused.text()).toContain('Too many sign-ins were started from your network.');
    expect((await authorizeFrom('198.51.100.2')).status).toBe(400);
  });

  test('is refused in JSON where a device begins it, which keeps nothing of it', async () => {
    const refused = await oneRefusal(() => startDeviceFrom('198.51.100.3'));
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await startDeviceFrom('198.51.100.4')).status).toBe(200);
  });
});
