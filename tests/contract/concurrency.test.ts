import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

/** The defaults of ACCOUNT_CONCURRENCY and CONNECTION_CONCURRENCY, as a stack has them with one replica of tools. */
const PER_ACCOUNT = 100;
const PER_CONNECTION = 20;
/** Three such bodies may wait, four are too much. */
const LARGE_BODY = 'x'.repeat(4_500_000);

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const executions = async (): Promise<number> => expectList(await get('/v1/executions', account)).totalCount;

describe('many executions of one account at once', () => {
  row(
    ['limits.8', 'errors.8', 'errors.32'],
    'above the bound of a connection and of the account they wait; above what may wait they are 429 with Retry-After 1, not executed and not recorded',
    async () => {
      const clients = new AbortController();
      const execute = (id: number, delayMs: number, rest: Record<string, unknown> = {}): Promise<Answer> => {
        const answer = post(
          `/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${id}`,
          { fields: { status: 422, delayMs, message: 'as asked', ...rest } },
          { apiKey: account.apiKey, signal: clients.signal },
        );
        // Most of them end with their client, at the end of the test.
        answer.catch(() => {});
        return answer;
      };
      const busy = await Promise.all(
        Array.from({ length: PER_ACCOUNT / PER_CONNECTION }, (_, index) =>
          createCrmConnection(`Busy ${index}`, account.apiKey),
        ),
      );
      const last = await createCrmConnection('Last', account.apiKey);

      const [first] = busy;
      for (let index = 0; index < PER_CONNECTION + 5; index += 1) void execute(first?.id ?? 0, 60_000);
      await expect.poll(executions, { timeout: 15_000 }).toBe(PER_CONNECTION);
      for (const { id } of busy.slice(1))
        for (let index = 0; index < PER_CONNECTION; index += 1) void execute(id, 60_000);
      await expect.poll(executions, { timeout: 15_000 }).toBe(PER_ACCOUNT);

      const large = Array.from({ length: 4 }, () => execute(last.id, 0, { padding: LARGE_BODY }));
      const refused = await Promise.race(large);
      expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
      expect(refused.headers.get('retry-after')).toBe('1');
      const other = await createCrmConnection('Other', stack.otherAccount.apiKey);
      const unaffected = await post(
        `/v1/tools/sandbox-crm-whoami/execute?connectionId=${other.id}`,
        {},
        { apiKey: stack.otherAccount.apiKey },
      );
      expect(unaffected.status, unaffected.text).toBe(200);
      expect(await executions()).toBe(PER_ACCOUNT);

      clients.abort();
      // The calls that waited left with their clients; those in progress ended with theirs and keep their rows.
      const next = await post(
        `/v1/tools/sandbox-crm-whoami/execute?connectionId=${last.id}`,
        {},
        { apiKey: account.apiKey },
      );
      expect(next.status, next.text).toBe(200);
      expect(await executions()).toBe(PER_ACCOUNT + 1);
    },
  );
});
