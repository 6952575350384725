import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { agentStatus, runningAgent, startAgent } from './support/agent-program.ts';
import { expectList, get, patch, post, stack } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

/** A run every 10 s, plus the longer pauses after failures. */
const RUNS = { timeout: 120_000, interval: 250 };

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** An agent's configuration with the sample database as its profile `shop`. */
function configuration(): string {
  const { hostname, port, pathname, username, password } = new URL(stack.samples.postgresUrl);
  const login = { user: username, password: decodeURIComponent(password), database: pathname.slice(1) };
  const shop = { type: 'postgresql', host: hostname, port: Number(port), ...login };
  return JSON.stringify({ profiles: { shop } });
}

describe('A trigger of an on-prem database', () => {
  row(
    'completion.triggers.30',
    'goes on where it was when its agent comes back, and fires each row once',
    async () => {
      const config = configuration();
      const members = { applicationSlug: 'onprem-database' };
      const { id, token, program } = await runningAgent(account, { members, config });
      const table = `rows_${randomUUID().replaceAll('-', '')}`;
      const execute = async (sql: string) => {
        const path = `/v1/tools/onprem-database-execute/execute?connectionId=${id}`;
        const { body } = expectStatus(await post(path, { fields: { profile: 'shop', sql } }, account), 200);
        expect(body).toMatchObject({ isSuccess: true });
      };
      await execute(`CREATE TABLE ${table} (id int PRIMARY KEY, note text)`);
      await execute(`INSERT INTO ${table} VALUES (1, 'before')`);
      const sent = {
        name: 'New rows',
        triggerTypeSlug: 'onprem-database-row-created',
        connectionId: id,
        configuration: { profile: 'shop', table, column: 'id', everySeconds: 10 },
      };
      const trigger = expectStatus(await post('/v1/triggers', sent, account), 201).body;
      const path = `/v1/triggers/${trigger.id}`;
      // The agent usually stops before the next run; the row fires once in either case.
      await execute(`INSERT INTO ${table} VALUES (2, 'meanwhile')`);
      program.kill('SIGTERM');
      await program.ended();
      expect(await agentStatus(account, id)).toBe('Offline');
      const lastError = async () => expectStatus(await get(path, account), 200).body.lastError;
      await expect.poll(lastError, RUNS).toContain('Offline');

      startAgent({ token, config });
      await expect.poll(() => agentStatus(account, id)).toBe('Online');
      await execute(`INSERT INTO ${table} VALUES (3, 'after')`);
      const payloads = async (): Promise<unknown[]> => {
        const { items } = expectList(await get(`/v1/triggers/events?triggerId=${trigger.id}`, account));
        return items.map(({ payload }) => payload).toReversed();
      };
      await expect.poll(async () => (await payloads()).length, RUNS).toBeGreaterThanOrEqual(2);
      expect(new Set(await payloads())).toEqual(
        new Set([
          { id: 2, note: 'meanwhile' },
          { id: 3, note: 'after' },
        ]),
      );
      expect(await lastError()).toBeNull();
      expectStatus(await patch(path, { isEnabled: false }, account), 200);
      await execute(`DROP TABLE ${table}`);
    },
  );
});
