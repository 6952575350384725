import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { untilBalanced } from './support/balanced.ts';
import {
  authorizeRoute,
  byKey,
  byToken,
  createIdentityAccount,
  refreshRoute,
  signIn,
  whoamiRoute,
} from './support/identity-clients.ts';
import type { IdentityAccount } from './support/identity-clients.ts';
import type { LoadRoute } from './support/load.ts';
import { allOf, environmentOf, keepKilled, untilServing } from './support/processes.ts';
import { isEverything, isHit } from './support/selection.ts';

const stack = inject('stack');

/** From the response to a change until every new call sees it: 2 s, or longer in CI, on a busy machine. */
const HOLDS_AFTER_MS = isEverything ? 2_000 : 30_000;
const POLL_MS = 20;
/** Each pair of calls reaches one or both replicas of identity, depending on the balancers of two gateways. */
const ROUNDS = 8;
/** OAUTH_REFRESH_GRACE_SECONDS, plus time for the call that finds it over. */
const GRACE_LIMIT = { timeout: 120_000, interval: 1_000 };

/** The members of responses that these tests read. */
const anyBody = z.looseObject({
  access_token: z.string().default(''),
  refresh_token: z.string().default(''),
  error: z.string().default(''),
  id: z.string().default(''),
  userId: z.string().default(''),
  accountId: z.string().default(''),
  apiKey: z.string().default(''),
  roles: z.array(z.string()).default([]),
  permissions: z.array(z.string()).default([]),
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: z.infer<typeof anyBody>;
}

/** Addresses of both gateways, bypassing the balancer. */
let one: string;
let two: string;
let account: IdentityAccount;
beforeAll(async () => {
  const gateways = await allOf(stack, 'services/gateway/src/main.ts');
  const [first = '', second = ''] = gateways.map((id) => `http://127.0.0.1:${environmentOf(id)['PORT']}`);
  [one, two] = [first, second];
  const replicas = await allOf(stack, 'services/identity/src/main.ts');
  if (gateways.length !== 2 || replicas.length !== 2) throw new Error('Not two replicas of both run');
  await Promise.all(replicas.map(untilServing));
  await Promise.all(gateways.map((id) => untilBalanced(stack.baseUrl, id)));
  account = await createIdentityAccount();
});

/** Makes one call at one gateway, without following redirects. */
async function ask(gateway: string, { method, path, headers = {}, body }: LoadRoute): Promise<Answer> {
  const isJson = body !== undefined && !(body instanceof URLSearchParams);
  const answer = await fetch(gateway + path, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
    body: body instanceof URLSearchParams ? body : body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  const hasJson = answer.headers.get('content-type')?.includes('json') === true;
  return {
    status: answer.status,
    headers: answer.headers,
    body: anyBody.parse(hasJson ? JSON.parse(text) : {}),
  };
}

/** Polls until the answer is the expected one; every call that starts HOLDS_AFTER_MS later must get it. */
async function expectSoon<T>(answer: () => Promise<T>, expected: T): Promise<void> {
  const changedAt = performance.now();
  for (;;) {
    const startedAt = performance.now();
    const seen = await answer();
    if (isDeepStrictEqual(seen, expected)) return;
    const still = `still ${JSON.stringify(seen)}, not ${JSON.stringify(expected)}`;
    expect(startedAt - changedAt, still).toBeLessThan(HOLDS_AFTER_MS);
    await delay(POLL_MS);
  }
}

const whoami = (gateway: string, token: string): Promise<Answer> =>
  ask(gateway, whoamiRoute('token', byToken(token)));

describe.runIf(isHit('identity'))('over two replicas of identity and two gateways', () => {
  it('a refresh token that is used twice at once gives usable tokens twice', async () => {
    const { tokens } = await signIn(account);
    let current = tokens.refresh_token;
    for (let round = 0; round < ROUNDS; round += 1) {
      const route = refreshRoute(account, current);
      const both = await Promise.all([ask(one, route), ask(two, route)]);
      expect(both.map(({ status, body }) => [status, body.error])).toEqual([
        [200, ''],
        [200, ''],
      ]);
      const [a, b] = both.map(({ body }) => body);
      expect(a?.refresh_token).not.toBe(b?.refresh_token);
      for (const { body } of both) {
        for (const gateway of [one, two]) expect((await whoami(gateway, body.access_token)).status).toBe(200);
        const next = await ask(one, refreshRoute(account, body.refresh_token));
        expect(next.status).toBe(200);
        current = next.body.refresh_token;
      }
    }
  });

  it('a refresh token that is used again after the grace ends its family', async () => {
    const { tokens } = await signIn(account);
    const used = refreshRoute(account, tokens.refresh_token);
    const issued = [(await ask(one, used)).body];
    expect(issued[0]?.refresh_token).not.toBe('');
    await expect
      .poll(async () => {
        const again = await ask(two, used);
        if (again.status === 200) issued.push(again.body);
        return [again.status, again.body.error];
      }, GRACE_LIMIT)
      .toEqual([400, 'invalid_grant']);
    // Some were within the grace period.
    expect(issued.length).toBeGreaterThan(2);
    for (const { access_token, refresh_token } of issued) {
      for (const gateway of [one, two]) {
        await expectSoon(async () => (await whoami(gateway, access_token)).status, 401);
        const { status, body } = await ask(gateway, refreshRoute(account, refresh_token));
        expect([status, body.error]).toEqual([400, 'invalid_grant']);
      }
    }
  });

  it('a code that is redeemed twice at once gives tokens once, and a third time ends them', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      // A grant of its own, because the third use ends it.
      const { headers } = await signIn(account);
      const { route, redeem } = authorizeRoute(account, headers);
      const answer = await ask(round % 2 === 0 ? one : two, route);
      const redeeming = redeem(answer.headers.get('location') ?? '');
      const both = await Promise.all([ask(one, redeeming), ask(two, redeeming)]);
      const kinds = both.map(({ status, body }) => `${status} ${body.error}`).toSorted();
      expect(kinds).toEqual(['200 ', '400 invalid_grant']);
      const third = await ask(two, redeeming);
      expect([third.status, third.body.error]).toEqual([400, 'invalid_grant']);
      const token = both.find(({ status }) => status === 200)?.body.access_token ?? '';
      for (const gateway of [one, two])
        await expectSoon(async () => (await whoami(gateway, token)).status, 401);
    }
  });
});

describe('a change made through one gateway holds on the other soon', () => {
  it('[completion.everywhere.62, completion.everywhere.63, completion.everywhere.64, completion.everywhere.65] with NATS', () =>
    expectChangesToHold());

  it.runIf(isHit('identity'))('while NATS is away', async () => {
    const killing = keepKilled(stack, 'nats-server\0');
    try {
      await expectChangesToHold();
    } finally {
      await killing.stop();
    }
  });
});

/** Changes a role, RBAC, budgets and a key at the first gateway, and polls the second, which has cached the former state. */
async function expectChangesToHold(): Promise<void> {
  const administrator = byKey(account.apiKey);
  const change = async (
    method: LoadRoute['method'],
    path: string,
    body?: unknown,
    headers = administrator,
  ): Promise<Answer['body']> => {
    const answer = await ask(one, {
      name: path,
      method,
      path,
      headers,
      deadlineMs: 0,
      ...(body !== undefined && { body }),
    });
    expect(answer.status, `${method} ${path}`).toBeLessThan(300);
    return answer.body;
  };
  const mark = randomBytes(6).toString('hex');
  const email = `changed-${mark}@test.example`;
  const { userId } = await change('POST', '/admin/v1/users', { email, role: 'developer' });
  const key = await change('POST', '/admin/v1/api-keys', { name: 'Changed', userId });
  const there = (): Promise<Answer> => ask(two, whoamiRoute('key', byKey(key.apiKey)));

  // A new key works at once, as does everything that the other gateway has never cached.
  expect((await there()).body.roles).toEqual(['developer']);
  await change('PATCH', `/admin/v1/users/${userId}`, { role: 'member' });
  await expectSoon(async () => (await there()).body.roles, ['member']);

  const mayManage = async (): Promise<boolean> =>
    (await there()).body.permissions.includes('authProviders.manage');
  for (const isRbacEnabled of [false, true, false]) {
    await change('PATCH', '/admin/v1/account', { isRbacEnabled });
    await expectSoon(mayManage, !isRbacEnabled);
  }

  const hourly = 1_000_000 + Number.parseInt(mark.slice(0, 4), 16);
  await change('PATCH', '/admin/v1/account', { budgets: { hourly } });
  await expectSoon(
    async () => (await there()).headers.get('ratelimit-policy')?.includes(`q=${hourly};`),
    true,
  );

  await change('PATCH', `/admin/v1/users/${userId}`, { isActive: false });
  await expectSoon(async () => (await there()).status, 403);
  await change('PATCH', `/admin/v1/users/${userId}`, { isActive: true });
  await expectSoon(async () => (await there()).status, 200);

  await change('DELETE', `/admin/v1/api-keys/${key.id}`);
  await expectSoon(async () => (await there()).status, 401);

  const operator = byKey(stack.operatorKey);
  const owner = { name: 'New', ownerEmail: `owner-${mark}@test.example` };
  const made = await change('POST', '/operator/v1/accounts', owner, operator);
  expect((await ask(two, whoamiRoute('new account', byKey(made.apiKey)))).body).toMatchObject({
    accountId: made.accountId,
  });
  await change('DELETE', `/operator/v1/accounts/${made.accountId}`, undefined, operator);
  const erased = whoamiRoute('erased account', byKey(made.apiKey));
  await expectSoon(async () => (await ask(two, erased)).status, 401);
}
