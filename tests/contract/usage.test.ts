import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { del, expectError, expectList, get, patch, post } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { DAY_MS, HOUR_MS, withinOne } from './support/windows.ts';

const path = '/admin/v1/usage';
const SOON = { timeout: 90_000, interval: 100 };

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const today = (): string => new Date().toISOString().slice(0, 10);

async function usageOfToday(of = account): Promise<any> {
  const { items } = expectList(await get(path, of));
  return items[0];
}

describe('usage', () => {
  test('there is one entry per day, newest first, for the requested number of days', () =>
    withinOne(DAY_MS, async () => {
      const { items, totalCount } = expectList(await get(path, account));
      expect(items[0].date).toBe(today());
      expect(totalCount).toBe(30);
      const dates: string[] = items.map(({ date }) => date);
      expect(dates).toEqual([...dates].sort().reverse());
      for (const day of items)
        expect(Object.keys(day).toSorted()).toEqual(['calls', 'date', 'events', 'executions']);
      const [, second, third] = dates;
      const some = expectList(await get(`${path}?from=${third}&to=${today()}`, account));
      expect(some.items.map(({ date }) => date)).toEqual([second, third]);
      expect(expectList(await get(`${path}?top=3&offset=1`, account)).items).toEqual(items.slice(1, 4));
    }));

  test('calls are counted, those that need no budget too; refused ones are not', () =>
    withinOne(HOUR_MS, async () => {
      const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 6 } });
      for (let at = 0; at < 9; at += 1) await get('/v1/auth/whoami', fresh);
      for (let at = 0; at < 5; at += 1) await get('/admin/v1/account', fresh);
      const letIn = 6 + 5 + 1;
      await get('/v1/auth/whoami', { ...fresh, headers: { authorization: 'Bearer no.such.token' } });
      await patch('/admin/v1/account', { budgets: AMPLE_BUDGETS }, fresh);
      let asked = 0;
      const calls = async (): Promise<number> => {
        asked += 1;
        const answer = await get(path, fresh);
        return answer.status === 200 ? expectList(answer).items[0].calls : 0;
      };
      await expect.poll(async () => (await calls()) >= letIn, SOON).toBe(true);
      expect(await calls()).toBeLessThanOrEqual(letIn + asked);
      await removeAccount(fresh);
    }));

  test('each call shows within seconds', () =>
    withinOne(DAY_MS, async () => {
      const before = (await usageOfToday()).calls;
      await post('/v1/connections', {}, account);
      await get('/v1/connections/999999', account);
      let asked = 0;
      await expect
        .poll(async () => {
          asked += 1;
          return (await usageOfToday()).calls >= before + 2;
        }, SOON)
        .toBe(true);
      expect((await usageOfToday()).calls).toBeLessThanOrEqual(before + 2 + asked + 1);
    }));

  test('[completion.administration.29] executions of the day are those of the history', () =>
    withinOne(DAY_MS, async () => {
      const fresh = await createAccount({ budgets: AMPLE_BUDGETS });
      const { id } = await createCrmConnection('Counted', fresh.apiKey);
      for (let at = 0; at < 3; at += 1) {
        await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`, {}, fresh);
      }
      await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}&dryRun=true`, {}, fresh);
      const { totalCount } = expectList(await get('/v1/executions', fresh));
      expect(totalCount).toBe(3);
      await expect.poll(async () => (await usageOfToday(fresh)).executions, SOON).toBe(3);
      await removeAccount(fresh);
    }));

  test('[completion.administration.29] events of the day are those that triggers have captured, also of deleted ones', () =>
    withinOne(DAY_MS, async () => {
      const fresh = await createAccount({ budgets: AMPLE_BUDGETS });
      const sent = { name: 'Counted', triggerTypeSlug: 'http_webhook', filter: 'body.total > 1' };
      const { body: trigger } = expectStatus(await post('/v1/triggers', sent, fresh), 201);
      const calls = [2, 1, 3, 4].map((total) => ({
        body: JSON.stringify({ total }),
        'idempotency-key': `k${total}`,
      }));
      for (const { body, ...headers } of [...calls, ...calls])
        await fetch(trigger.inboundUrl, { method: 'POST', body, headers });
      expectStatus(await del(`/v1/triggers/${trigger.id}`, fresh), 204);
      await expect.poll(async () => (await usageOfToday(fresh)).events, SOON).toBe(3);
      await removeAccount(fresh);
    }));

  test('it is for administrators, and its days are checked', async () => {
    const developer = await createUser(account, { role: 'developer' });
    expectError(await get(path, developer), 403, 'FORBIDDEN');
    expectError(await get(`${path}?from=lately`, account), 400, 'VALIDATION_ERROR', ['from']);
  });
});
