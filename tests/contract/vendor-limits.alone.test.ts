import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { get, post, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';

afterAll(() => setRateLimit(null));

// Alone, because the vendor limits the calls of all accounts.
describe('a vendor that limits calls', () => {
  test('the calls of a connection wait until the vendor takes them, instead of failing', async () => {
    const { id } = await createCrmConnection('Limited');
    const query = `?connectionId=${id}`;
    await setRateLimit(1);
    const refused = await untilRefused(query);
    expect(refused.body).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('Too many requests'),
      executionInfo: { attempts: 1 },
    });
    for (let call = 0; call < 2; call += 1) {
      const answer = await post(`/v1/tools/sandbox-crm-whoami/execute${query}`, {});
      expect(expectStatus(answer, 200).body, answer.text).toMatchObject({ isSuccess: true });
    }
    const dryRun = await post(`/v1/tools/sandbox-crm-whoami/execute${query}&dryRun=true`, {});
    expect(dryRun.body).toMatchObject({ isSuccess: true });
    const { body: row } = await get(`/v1/executions/${refused.body.historyId}`);
    expect(row).toMatchObject({ isSuccess: false, toolSlug: 'sandbox-crm-create-contact' });
  });
});

/** The first of several concurrent calls with effects that the vendor refused. */
async function untilRefused(query: string): ReturnType<typeof post> {
  for (;;) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        post(`/v1/tools/sandbox-crm-create-contact/execute${query}`, {
          fields: { name: 'Ada', email: `${randomUUID()}@example.com` },
        }),
      ),
    );
    const refused = answers.find(({ body }) => body.isSuccess === false);
    if (refused !== undefined) return refused;
  }
}

async function setRateLimit(requestsPerSecond: number | null): Promise<void> {
  const answer = await fetch(`${stack.sandboxCrm.url}/admin/api/rate-limit`, {
    method: 'POST',
    headers: { 'x-admin-key': stack.sandboxCrm.adminKey, 'content-type': 'application/json' },
    body: JSON.stringify({ requestsPerSecond }),
  });
  expect(answer.status).toBe(200);
}
