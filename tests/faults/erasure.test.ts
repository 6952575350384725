import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { freeze, kill, processOf, processesOf, untilReplaced } from './support/processes.ts';
import { prepareConnection } from './support/traffic.ts';

const stack = inject('stack');

const GATEWAY = 'services/gateway/src/main.ts';
const FREEZE_MS = 10_000;
const SOON = { timeout: 30_000, interval: 200 };
/** An attempt whose process died is taken over after a minute, within seconds then. */
const TAKEN_OVER = { timeout: 100_000, interval: 500 };

let mongo: MongoClient;
beforeAll(async () => {
  mongo = await MongoClient.connect(stack.mongodbUri);
});
afterAll(() => mongo.close());

/** The members of any response body that these tests read. */
const body = z.looseObject({
  accountId: z.string().default(''),
  apiKey: z.string().default(''),
  erasingAt: z.string().nullable().default(null),
});

interface Sent {
  readonly status: number;
  readonly body: z.infer<typeof body>;
}

/** Sends a request; status 0 if no response arrived. */
async function send(method: string, path: string, apiKey: string, json?: unknown): Promise<Sent> {
  try {
    const answer = await fetch(new URL(path, stack.baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: body.parse(text === '' ? {} : JSON.parse(text)) };
  } catch {
    return { status: 0, body: body.parse({}) };
  }
}

const erasures = () =>
  mongo.db('fairlead_gateway').collection<{ _id: string; state: string }>('account_erasures');

/** The collections that still name the account, of the gateway and of services behind it. */
async function left(accountId: string): Promise<string[]> {
  const found: string[] = [];
  const places = [
    ['fairlead_connections', 'connections', { accountId }],
    ['fairlead_connections', 'dataKeys', { _id: accountId }],
    ['fairlead_gateway', 'audit_entries', { accountId }],
    ['fairlead_identity', 'users', { accountId }],
    ['fairlead_identity', 'api_keys', { accountId }],
    ['fairlead_identity', 'accounts', { _id: accountId }],
  ] as const;
  for (const [database, collection, filter] of places) {
    const count = await mongo.db(database).collection<{ _id: string }>(collection).countDocuments(filter);
    if (count > 0) found.push(`${database}.${collection}`);
  }
  return found;
}

/** An account whose erasure was in progress when the gateway was killed, while connections did not respond. */
async function killedHalfWay(): Promise<{ path: string; accountId: string; apiKey: string }> {
  const made = await send('POST', '/operator/v1/accounts', stack.operatorKey, {
    name: 'Half-way',
    ownerEmail: `owner-${randomBytes(6).toString('hex')}@test.example`,
  });
  expect(made.status).toBe(201);
  const { accountId, apiKey } = made.body;
  await prepareConnection({ ...stack, account: { ...stack.account, accountId, apiKey } });
  const path = `/operator/v1/accounts/${accountId}`;
  const frozen = freeze(processOf(stack, 'services/connections/src/main.ts'), FREEZE_MS);
  const erasing = send('DELETE', path, stack.operatorKey);
  await expect
    .poll(async () => (await send('GET', path, stack.operatorKey)).body.erasingAt, SOON)
    .not.toBeNull();
  const victims = processesOf(stack, GATEWAY);
  for (const victim of victims) kill(victim);
  for (const victim of victims) await untilReplaced(stack, GATEWAY, victim, victims.length);
  expect((await erasing).status).toBe(0);
  await frozen;
  expect((await erasures().findOne({ _id: accountId }))?.state).toBe('erasing');
  expect(await left(accountId)).toContain('fairlead_identity.accounts');
  await expect.poll(async () => (await send('GET', '/v1/auth/whoami', apiKey)).status, SOON).toBe(401);
  return { path, accountId, apiKey };
}

describe('an erasure whose gateway is killed with -9 half-way', () => {
  it('leaves the account closed, and is completed by asking again', async () => {
    const { path, accountId } = await killedHalfWay();
    await expect.poll(async () => (await send('DELETE', path, stack.operatorKey)).status, SOON).toBe(204);
    expect(await left(accountId)).toEqual([]);
  });

  it('is completed by the gateway that comes after it, unasked', async () => {
    const { path, accountId } = await killedHalfWay();
    await expect
      .poll(async () => (await erasures().findOne({ _id: accountId }))?.state, TAKEN_OVER)
      .toBe('erased');
    expect(await left(accountId)).toEqual([]);
    expect((await send('GET', path, stack.operatorKey)).status).toBe(404);
  });
});
