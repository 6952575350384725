import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import { createAccount, createApiKey, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { expectError, get, patch, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { row } from './support/row.ts';
import { HOUR_MS, secondsLeftOf, withinOne } from './support/windows.ts';

const whoami = '/v1/auth/whoami';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** Sets budgets, all others large, and waits until they apply: at most two seconds. */
async function setBudgets(budgets: Record<string, number>): Promise<void> {
  const answer = await patch('/admin/v1/account', { budgets: { ...AMPLE_BUDGETS, ...budgets } }, account);
  expect(answer.status, answer.text).toBe(200);
  const { burstPerSecond, hourly } = answer.body.budgets;
  const policy = `"burst";q=${burstPerSecond};w=1, "hourly";q=${hourly};w=3600`;
  await expect
    .poll(async () => (await get('/admin/v1/account', account)).headers.get('ratelimit-policy'))
    .toBe(policy);
}

const second = (): number => Math.floor(Date.now() / 1000);

/** Waits for the begin of a second whose budget is unused. */
async function untilNextSecond(): Promise<void> {
  const present = second();
  await expect.poll(() => second() > present, { interval: 5 }).toBe(true);
}

/**
 * Makes concurrent calls in an unused second until some are refused; more each time, because a busy machine may spread them over several
 * seconds. Expects as many admitted calls as those seconds' budgets allow.
 */
async function exceed(perSecond: number, ask: () => Promise<Answer>): Promise<readonly Answer[]> {
  for (let count = 3 * perSecond; ; count *= 2) {
    await untilNextSecond();
    const first = second();
    const answers = await many(count, ask);
    const seconds = second() - first + 1;
    const letIn = passed(answers);
    expect(letIn).toBeGreaterThanOrEqual(perSecond);
    expect(letIn).toBeLessThanOrEqual(perSecond * seconds);
    if (letIn < count) return answers;
  }
}

const passed = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 200).length;
const many = (count: number, ask: () => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, ask));

/** Checks that every unsuccessful response is a budget's refusal. */
function expectRefused(answers: readonly Answer[], retryAfter: number): void {
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expectError(answer, 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers.get('retry-after')).toBe(String(retryAfter));
  }
}

/** A workflow with these steps, each a call of the vendor; returns a function that runs it. */
async function createRun(owner: TestAccount, ids: readonly string[]): Promise<() => Promise<Answer>> {
  const { id: connectionId } = await createCrmConnection('CRM', owner.apiKey);
  const slug = `flow-${randomUUID()}`;
  const steps = ids.map((id) => ({ id, toolSlug: 'sandbox-crm-whoami' }));
  const made = expectStatus(await post('/v1/workflows', { name: 'Flow', slug, steps }, owner), 201);
  const toolset = {
    name: 'Holder',
    connections: [{ connectionId }],
    workflows: [{ workflowToken: made.body.workflowToken }],
  };
  const { id: toolsetId } = expectStatus(await post('/v1/toolsets', toolset, owner), 201).body;
  return () => post(`/v1/tools/${slug}/execute?toolsetId=${String(toolsetId)}`, { fields: {} }, owner);
}

describe('the burst budget', () => {
  row(
    ['limits.7', 'limits.8', 'errors.8', 'errors.32', 'completion.everywhere.54'],
    'as many calls per second as the budget allows pass; the others get 429 with Retry-After 1',
    async () => {
      await setBudgets({ burstPerSecond: 4 });
      expectRefused(await exceed(4, () => get(whoami, account)), 1);
    },
  );

  row('limits.8', 'a client that waits for Retry-After passes', async () => {
    await setBudgets({ burstPerSecond: 1 });
    expectRefused(await exceed(1, () => get(whoami, account)), 1);
    await untilNextSecond();
    expect((await get(whoami, account)).status).toBe(200);
  });

  row(['limits.7', 'completion.everywhere.51'], 'accounts do not share it', async () => {
    const other = await createAccount();
    await setBudgets({ burstPerSecond: 1 });
    expectRefused(await exceed(1, () => get(whoami, account)), 1);
    expect(passed(await many(5, () => get(whoami, other)))).toBe(5);
    await removeAccount(other);
  });
});

describe('the hourly budget', () => {
  row(
    [
      'limits.7',
      'limits.8',
      'errors.32',
      'completion.everywhere.54',
      'completion.everywhere.57',
      'completion.everywhere.62',
    ],
    'it is never exceeded, what it refuses consumes nothing, and Retry-After is 3600',
    async () => {
      await withinOne(HOUR_MS, async () => {
        const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 7 } });
        await expect
          .poll(async () => (await get('/admin/v1/account', fresh)).headers.get('ratelimit-policy'))
          .toContain('"hourly";q=7;w=3600');
        const answers = await many(15, () => get(whoami, fresh));
        expect(passed(answers)).toBe(7);
        expectRefused(answers, 3600);
        expectRefused([await get(whoami, fresh)], 3600);
        await patch('/admin/v1/account', { budgets: { hourly: 10 } }, fresh);
        await expect
          .poll(async () => (await get('/admin/v1/account', fresh)).headers.get('ratelimit-policy'))
          .toContain('"hourly";q=10;w=3600');
        expect(passed(await many(8, () => get(whoami, fresh)))).toBe(3);
        await removeAccount(fresh);
      });
    },
  );

  row(
    ['limits.7', 'completion.everywhere.57'],
    'what the burst budget refuses does not count in the hour',
    async () => {
      await withinOne(HOUR_MS, async () => {
        const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, burstPerSecond: 2, hourly: 6 } });
        let succeeded = 0;
        let last: Answer | undefined;
        await expect
          .poll(
            async () => {
              const answers = await many(5, () => get(whoami, fresh));
              succeeded += passed(answers);
              last = answers.findLast(({ status }) => status !== 200);
              return last?.headers.get('retry-after');
            },
            { timeout: 90_000, interval: 100 },
          )
          .toBe('3600');
        expect(succeeded).toBe(6);
        await removeAccount(fresh);
      });
    },
  );

  row(
    'completion.toolsets-and-workflows.59',
    'each step of a workflow counts one call; where the hour is spent, the step fails and says so',
    async () => {
      await withinOne(HOUR_MS, async () => {
        const fresh = await createAccount();
        const run = await createRun(fresh, ['a', 'b', 'c', 'd', 'e']);
        const left = (answer: Answer): number =>
          Number(/"hourly";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
        const setHourly = async (hourly: number): Promise<void> => {
          expectStatus(await patch('/admin/v1/account', { budgets: { hourly } }, fresh), 200);
          await expect
            .poll(async () => (await get('/admin/v1/account', fresh)).headers.get('ratelimit-policy'))
            .toContain(`"hourly";q=${hourly};w=3600`);
        };
        const before = left(await get(whoami, fresh));
        const used = AMPLE_BUDGETS.hourly - before;
        // The call itself and three of its five steps.
        await setHourly(used + 1 + 3);
        const { body, text } = expectStatus(await run(), 200);
        expect(body, text).toMatchObject({ isSuccess: false });
        expect(body.errorMessage).toMatch(
          /^Step "d" failed: RATE_LIMIT_EXCEEDED: .*hourly budget.* is spent. It renews in \d+ s/,
        );
        expect(left(await get('/admin/v1/account', fresh))).toBe(0);
        await setHourly(AMPLE_BUDGETS.hourly);
        expect(expectStatus(await run(), 200).body).toMatchObject({ isSuccess: true });
        expect(left(await get('/admin/v1/account', fresh))).toBe(before - (1 + 3) - (1 + 5));
        await removeAccount(fresh);
      });
    },
  );

  row('limits.7', 'calls that end in an error count as well', async () => {
    await withinOne(HOUR_MS, async () => {
      const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 4 } });
      const statuses = [];
      for (let at = 0; at < 5; at += 1) statuses.push((await get('/v1/connections/999999', fresh)).status);
      expect(statuses).toEqual([404, 404, 404, 404, 429]);
      await removeAccount(fresh);
    });
  });
});

describe('the search budget', () => {
  const SEARCHES = ['/v1/applications?search=crm', '/v1/tools?search=contact'];

  row(
    'limits.9',
    'a search has a second budget of its own; blank ones and other calls do not use it',
    async () => {
      await setBudgets({ searchPerSecond: 2 });
      for (const path of SEARCHES) expectRefused(await exceed(2, () => get(path, account)), 1);
      const blank = [
        '/v1/tools',
        '/v1/tools?search=',
        '/v1/applications?search=%20',
        '/v1/connections?search=x',
      ];
      for (const path of blank) expect(passed(await many(5, () => get(path, account))), path).toBe(5);
    },
  );

  row(
    ['limits.9', 'limits.8'],
    'a search has an hour of its own, which tools and applications share',
    async () => {
      await withinOne(HOUR_MS, async () => {
        const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, searchPerHour: 3 } });
        const answers = [];
        for (const path of [...SEARCHES, ...SEARCHES]) answers.push(await get(path, fresh));
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
        expectRefused(answers, 3600);
        expect((await get(whoami, fresh)).status).toBe(200);
        await removeAccount(fresh);
      });
    },
  );

  row(['limits.9', 'completion.everywhere.60'], 'a search has to pass the general budgets too', async () => {
    await withinOne(HOUR_MS, async () => {
      const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 1 } });
      expect((await get('/v1/tools?search=contact', fresh)).status).toBe(200);
      expectRefused([await get('/v1/tools?search=contact', fresh)], 3600);
      await removeAccount(fresh);
    });
  });
});

describe('headers and settings', () => {
  row('completion.everywhere.53', 'windows are the seconds and hours of the clock, in UTC', async () => {
    await withinOne(HOUR_MS, async () => {
      const before = secondsLeftOf(HOUR_MS);
      const { headers } = await get(whoami, account);
      const after = secondsLeftOf(HOUR_MS);
      const hourly = /"hourly";r=\d+;t=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
      expect(Number(hourly)).toBeLessThanOrEqual(before);
      expect(Number(hourly)).toBeGreaterThanOrEqual(after);
    });
    await setBudgets({ burstPerSecond: 2 });
    // The budget is full again in the next second of the clock, however late in the previous one it was used up.
    for (let round = 0; round < 2; round += 1) expectRefused(await exceed(2, () => get(whoami, account)), 1);
  });

  row(
    ['limits.7', 'completion.everywhere.56'],
    'every authenticated response, even an error, carries RateLimit and RateLimit-Policy; others carry neither',
    async () => {
      await setBudgets({ burstPerSecond: 700, hourly: 90_000 });
      const answers = [
        await get(whoami, account),
        await get('/v1/connections/999999', account),
        await post('/v1/connections', {}, account),
        await get('/v1/applications?top=0', account),
        await get('/admin/v1/account', account),
      ];
      for (const { headers } of answers) {
        expect(headers.get('ratelimit-policy')).toBe('"burst";q=700;w=1, "hourly";q=90000;w=3600');
        expect(headers.get('ratelimit')).toMatch(
          /^"(?:burst|hourly)";r=\d+;t=\d+(?:, "hourly";r=\d+;t=\d+)?$/,
        );
      }
      const anonymous = [
        await get(whoami, { apiKey: null }),
        await get('/nowhere', account),
        await get('/openapi.json', { apiKey: null }),
      ];
      for (const { headers } of anonymous) expect(headers.get('ratelimit')).toBeNull();
    },
  );

  row(
    ['limits.7', 'completion.everywhere.61', 'completion.everywhere.62'],
    'the account’s settings are exempt, so that a spent budget can be raised',
    async () => {
      const fresh = await createAccount({
        budgets: { burstPerSecond: 1, hourly: 1, searchPerSecond: 1, searchPerHour: 1 },
      });
      expect((await get(whoami, fresh)).status).toBe(200);
      await withinOne(HOUR_MS, async () => expectRefused([await get('/v1/tools', fresh)], 3600));
      for (const answer of await many(5, () => get('/admin/v1/account', fresh)))
        expect(answer.status).toBe(200);
      expect((await patch('/admin/v1/account', { budgets: AMPLE_BUDGETS }, fresh)).status).toBe(200);
      await expect.poll(async () => (await get(whoami, fresh)).status).toBe(200);
      await removeAccount(fresh);
    },
  );

  row(
    ['completion.administration.37', 'completion.everywhere.61'],
    'the account’s settings take 10 calls a second, apart from the budgets: the others get 429 with Retry-After 1',
    async () => {
      const settings = '/admin/v1/account';
      const fresh = await createAccount();
      const neighbour = await createAccount();
      const ask = (o: TestAccount): Promise<Answer> => get(settings, { ...o, isImpatient: true });
      const answers = await exceed(10, () => ask(fresh));
      expectRefused(answers, 1);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.headers.get('ratelimit')).toMatch(/^"account";r=0;t=1, "burst";r=/);
      expect(refused?.headers.get('ratelimit-policy')).toMatch(/^"account";q=10;w=1, "burst";q=/);
      // Other accounts and other calls do not share it; changes and reads count together.
      expect(passed(await many(5, () => ask(neighbour)))).toBe(5);
      expect((await get(whoami, fresh)).status).toBe(200);
      const change = (): Promise<Answer> =>
        patch(settings, { name: 'Often' }, { ...fresh, isImpatient: true });
      expectRefused(await exceed(10, change), 1);
      await untilNextSecond();
      expect((await change()).status).toBe(200);
      // Nor does a key without the permission: otherwise it could keep the owner from raising a budget.
      const restricted = await createApiKey(fresh, { scopes: ['tools.execute'] });
      const refusals = await many(30, () => get(settings, { ...restricted, isImpatient: true }));
      expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([403]));
      for (const each of [fresh, neighbour]) await removeAccount(each);
    },
  );

  row(
    ['limits.7', 'completion.everywhere.66', 'completion.everywhere.67'],
    'budgets are positive integers, and a part of them leaves the others',
    async () => {
      await setBudgets({ burstPerSecond: 900 });
      const { budgets } = (await get('/admin/v1/account', account)).body;
      expect(
        (await patch('/admin/v1/account', { budgets: { searchPerSecond: 17 } }, account)).body.budgets,
      ).toEqual({
        ...budgets,
        searchPerSecond: 17,
      });
      for (const name of Object.keys(budgets)) {
        for (const value of [0, -1, 1.5, '5', null]) {
          expectError(
            await patch('/admin/v1/account', { budgets: { [name]: value } }, account),
            400,
            'VALIDATION_ERROR',
            [`budgets.${name}`],
          );
        }
      }
      expect((await get('/admin/v1/account', account)).body.budgets.searchPerSecond).toBe(17);
    },
  );

  row(
    ['limits.7', 'completion.everywhere.52'],
    'a new account has 50 calls a second, 20 000 an hour, 5 and 1 000 searches, 10 trigger tests',
    async () => {
      const fresh = await createAccount({ budgets: {} });
      expect((await get('/admin/v1/account', fresh)).body.budgets).toEqual({
        burstPerSecond: 50,
        hourly: 20_000,
        searchPerSecond: 5,
        searchPerHour: 1_000,
        triggerTestPerMinute: 10,
        hookPerSecond: 100,
      });
      await removeAccount(fresh);
    },
  );

  row('limits.7', 'a call refused for its credential uses nothing', async () => {
    await withinOne(HOUR_MS, async () => {
      const fresh = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 2 } });
      const headers = { authorization: 'Bearer no.such.token' };
      for (let at = 0; at < 4; at += 1) expect((await get(whoami, { ...fresh, headers })).status).toBe(401);
      expect(passed(await many(4, () => get(whoami, fresh)))).toBe(2);
      await removeAccount(fresh);
    });
  });
});
