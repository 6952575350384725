import { randomBytes } from 'node:crypto';
import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { stack } from '../contract/support/api.ts';
import { documents, logs, metricPages, spans } from './support/evidence.ts';
import { exerciseWithSecrets, removeConnections } from './support/exercise.ts';
import { listenToMessages } from './support/messages.ts';
import type { Listener } from './support/messages.ts';
import { findSecrets, formsOf } from './support/search.ts';
import type { Evidence, PlantedSecret } from './support/search.ts';

const { data, collectorUrl } = inject('observed');

let planted: readonly PlantedSecret[] = [];
let answers: readonly Evidence[] = [];
let metrics: readonly Evidence[] = [];
let listener: Listener;

beforeAll(async () => {
  listener = await listenToMessages(stack.natsUrl);
  ({ planted, answers, metrics } = await exerciseWithSecrets(data, collectorUrl));
}, 240_000);
afterAll(async () => {
  await removeConnections();
  await listener.close();
});

describe('no secret of a credential appears, in any form,', () => {
  test('in a response of the API, success or error', () => {
    expect(answers.length).toBeGreaterThan(40);
    expect(findSecrets(planted, answers)).toEqual([]);
  });

  test('in a log line of any process', async () => {
    const evidence = await logs(data);
    for (const service of ['gateway', ...SERVICE_NAMES]) {
      const log = evidence.find(({ place }) => place === `log ${service}.log`);
      expect(log?.bytes.length, service).toBeGreaterThan(1000);
    }
    expect(findSecrets(planted, evidence)).toEqual([]);
  });

  test('in a metric', async () => {
    const evidence = [...metrics, ...(await metricPages(stack))];
    expect(evidence.every(({ bytes }) => bytes.includes('_duration_seconds_count{'))).toBe(true);
    expect(findSecrets(planted, evidence)).toEqual([]);
  });

  test('in a span', async () => {
    const evidence = await spans(collectorUrl);
    expect(evidence[0]?.bytes.length).toBeGreaterThan(10_000);
    expect(findSecrets(planted, evidence)).toEqual([]);
  });

  test('in a message between services', () => {
    // A connection to an MCP server changes the catalogue, which publishes a message.
    expect(listener.heard().length).toBeGreaterThan(0);
    expect(findSecrets(planted, listener.heard())).toEqual([]);
  });

  test('in a document of any database', async () => {
    const evidence = await documents(stack.mongodbUri);
    for (const collection of ['fairlead_connections.connections', 'fairlead_tools.executions']) {
      const found = evidence.find(({ place }) => place.startsWith(`collection ${collection} `));
      expect(found?.bytes.length, collection).toBeGreaterThan(1000);
    }
    expect(findSecrets(planted, evidence)).toEqual([]);
  });
});

describe('the search finds planted leaks', () => {
  const secret = `canary-control-${randomBytes(9).toString('base64url')}+/"&ü`;
  const sought = [{ name: 'control', value: secret }];

  test('a line in a log file', async () => {
    const file = join(data, 'logs', 'canary-control.log');
    await appendFile(file, `${JSON.stringify({ level: 'info', msg: 'a scratch line', note: secret })}\n`);
    try {
      expect(findSecrets(sought, await logs(data))).toEqual([
        expect.stringContaining('control as JSON in log canary-control.log'),
      ]);
    } finally {
      await rm(file);
    }
  });

  test('a message', async () => {
    const connection = await connect({ servers: stack.natsUrl });
    connection.publish('canary.control', `before ${secret} after`);
    await connection.drain();
    await expect
      .poll(() => findSecrets(sought, listener.heard()))
      .toEqual([expect.stringContaining('control as plain text in message canary.control')]);
  });

  test('a document, as text and inside binary', async () => {
    const client = new MongoClient(stack.mongodbUri);
    const database = client.db(`canary_control_${randomBytes(6).toString('hex')}`);
    try {
      await database.collection('scratch').insertOne({ text: [secret], binary: Buffer.from(`x${secret}`) });
      expect(findSecrets(sought, await documents(stack.mongodbUri))).toContainEqual(
        expect.stringContaining(`in collection ${database.databaseName}.scratch`),
      );
    } finally {
      await database.dropDatabase();
      await client.close();
    }
  });

  test.each([
    ['a header of basic authentication', Buffer.from(`user:${secret}`).toString('base64')],
    ['another alignment of base64', Buffer.from(`ab${secret}`).toString('base64url')],
    ['a third alignment of base64', Buffer.from(`abc${secret}!`).toString('base64')],
    ['a query string', new URLSearchParams({ key: secret }).toString()],
    ['a path', `/v1/${encodeURIComponent(secret)}/x`],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ secret: secret.slice(0, -3) }))],
    ['a hexadecimal dump', Buffer.from(secret).toString('hex')],
  ])('%s', (_name, text) => {
    const shortened = {
      name: 'control',
      value: text.includes('\\') ? secret.slice(0, -3).slice(0, -1) : secret,
    };
    expect(findSecrets([shortened], [{ place: 'text', bytes: Buffer.from(text) }])).not.toEqual([]);
  });

  test('and each of the planted secrets, were it there', () => {
    expect(planted.length).toBeGreaterThan(15);
    for (const { name, value } of planted) {
      const evidence = [{ place: 'text', bytes: Buffer.from(`before ${value} after`) }];
      expect(findSecrets([{ name, value }], evidence), name).not.toEqual([]);
      expect(
        formsOf(value).every(([, text]) => text.length >= 8),
        name,
      ).toBe(true);
    }
  });
});
