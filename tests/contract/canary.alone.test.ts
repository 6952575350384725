import { randomBytes } from 'node:crypto';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { get, stack } from './support/api.ts';
import { evidenceOf, findLeaks } from './support/canary.ts';
import type { Traces } from './support/canary.ts';
import { readExchanges, secretsOf } from './support/exchange-secrets.ts';
import type { ExchangeRecord } from './support/recorder.ts';
import { undeclaredSealing } from './support/undeclared-sealing.ts';

/**
 * The real search runs at the end (tests/setup/contract-stack.global.ts). This test plants leaks to check that the search finds them.
 * Alone, because it searches other tests' data.
 */
const secret = `canary-${randomBytes(18).toString('base64url')}`;
const data = inject('data');

let folder: string;
let traces: Traces;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-canary-'));
  const exchanges = join(folder, 'exchanges.jsonl');
  // At least one request, even if this file runs alone.
  await get('/v1/auth/whoami');
  await cp(inject('exchanges'), exchanges);
  traces = { stack, data, exchanges, messages: [] };
  await plant({ requestBody: JSON.stringify({ password: secret }) });
});
afterAll(() => rm(folder, { recursive: true }));

/** Adds an exchange that did not happen. */
async function plant(more: Partial<ExchangeRecord>): Promise<void> {
  const record: ExchangeRecord = {
    method: 'POST',
    url: `${stack.baseUrl}/admin/v1/users`,
    requestHeaders: [['content-type', 'application/json']],
    requestBody: '',
    status: 200,
    headers: [['content-type', 'application/json']],
    body: '{}',
    ...more,
  };
  await appendFile(traces.exchanges, `${JSON.stringify(record)}\n`);
}

async function leaksOfCanary(): Promise<string[]> {
  return (await findLeaks(traces)).leaks.filter((leak) => leak.includes('POST /admin/v1/users as'));
}

describe('the search at the end of the run finds a secret', () => {
  test('it finds nothing if there is no leak', async () => {
    expect(await leaksOfCanary()).toEqual([]);
  });

  test('in a log line', async () => {
    const file = join(data, 'logs', 'canary-control.log');
    await writeFile(file, JSON.stringify({ msg: 'scratch', note: `before${secret}after` }));
    try {
      expect(await leaksOfCanary()).toEqual([expect.stringContaining('in log canary-control.log')]);
    } finally {
      await rm(file);
    }
  });

  test('in a document', async () => {
    const client = new MongoClient(stack.mongodbUri);
    const database = client.db(`canary_${randomBytes(6).toString('hex')}`);
    try {
      await database.collection('scratch').insertOne({ text: Buffer.from(secret).toString('base64') });
      expect(await leaksOfCanary()).toContainEqual(
        expect.stringContaining(`in collection ${database.databaseName}.scratch`),
      );
    } finally {
      await database.dropDatabase();
      await client.close();
    }
  });

  test('in a message', async () => {
    const messages = [{ place: 'message canary', bytes: Buffer.from(`{"x":"${secret}"}`) }];
    expect((await findLeaks({ ...traces, messages })).leaks).toContainEqual(
      expect.stringContaining('in message canary'),
    );
  });

  test('in a response that must not contain it', async () => {
    const kept = await readFile(traces.exchanges);
    await plant({
      method: 'GET',
      url: `${stack.baseUrl}/admin/v1/users`,
      body: JSON.stringify({ note: secret }),
    });
    expect(await leaksOfCanary()).toContainEqual(
      expect.stringMatching(/in answer \d+, 200 to GET \/admin\/v1\/users/),
    );
    await writeFile(traces.exchanges, kept);
  });
});

test('a sealed value in a place that no service declares is found at the end of the run', async () => {
  const client = new MongoClient(stack.mongodbUri);
  const database = client.db(`canary_${randomBytes(6).toString('hex')}`);
  try {
    expect(await undeclaredSealing(stack)).toEqual([]);
    await database
      .collection<{ inner: object }>('scratch')
      .insertOne({ inner: { list: ['s1.key.c2VhbGVk'] } });
    expect(await undeclaredSealing(stack)).toEqual([`${database.databaseName}.scratch.inner.list.0`]);
  } finally {
    await database.dropDatabase();
    await client.close();
  }
});

test('every log, metric, collection and response is searched', async () => {
  const evidence = await evidenceOf(traces);
  const bytesOf = (start: string): number =>
    evidence.filter(({ place }) => place.startsWith(start)).reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (const service of ['gateway', ...SERVICE_NAMES]) {
    expect(bytesOf(`log ${service}.log`), service).toBeGreaterThan(500);
  }
  for (const start of [
    'metrics of gateway',
    'collection fairlead_gateway.audit_entries',
    'collection fairlead_identity.users',
    'collection fairlead_identity.api_keys',
    'collection local.oplog.rs',
    'answer',
  ]) {
    expect(bytesOf(start), start).toBeGreaterThan(100);
  }
});

test('the secrets of every credential are searched for, wherever a request or a response holds them', async () => {
  expect((await get('/v1/auth/whoami')).status).toBe(200);
  const kept = secretsOf(readExchanges(inject('exchanges')), stack.baseUrl).map((it) => it.value);
  expect(kept).toContain(stack.account.apiKey.replace('fairlead_', ''));
  const value = (name: string): string => `${name}-${secret}`;
  const basic = Buffer.from(`client:${value('basic')}`).toString('base64');
  const record: ExchangeRecord = {
    method: 'POST',
    url: `${stack.baseUrl}/oauth/token?code=${value('query')}`,
    requestHeaders: [
      ['authorization', `Basic ${basic}`],
      ['x-api-key', `fairlead_${value('key')}`],
      ['cookie', `_session=${value('cookie')}`],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    requestBody: `client_secret=${value('form')}`,
    status: 302,
    headers: [['location', `http://127.0.0.1/x?code=${value('location')}`]],
    body: JSON.stringify({ access_token: value('answer'), nested: [{ refresh_token: value('nested') }] }),
  };
  const found = secretsOf([record], stack.baseUrl).map((it) => it.value);
  for (const name of ['query', 'basic', 'key', 'cookie', 'form', 'location', 'answer', 'nested']) {
    expect(found).toContain(value(name));
  }
});
