import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES_SQL, USER_PASSWORD } from '@fairlead/connectors/postgresql/testing/roles';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestServer } from '@fairlead/connector-runtime/testing/http-server';
import { startPostgres } from '@fairlead/local-stores/postgres';
import type { RunningPostgres } from '@fairlead/local-stores/postgres';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

type Members = Readonly<Record<string, unknown>>;

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

async function toolset(connectionId: number, policy: Members): Promise<string> {
  const body = { name: 'Held', connections: [{ connectionId }], policy };
  return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
}

const execute = (toolsetId: string, toolSlug: string, fields: Members): Promise<Answer> =>
  post(`/v1/tools/${toolSlug}/execute?toolsetId=${toolsetId}`, { fields }, account);

describe('A readOnly toolset with a PostgreSQL connection', () => {
  const RUN = 'postgresql-run-query';
  let directory: string;
  let postgres: RunningPostgres;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-policies-'));
    postgres = await startPostgres({ dataDirectory: directory, initialSql: ROLES_SQL });
  });
  afterAll(async () => {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function readOnly(user: string): Promise<string> {
    const { port, database } = postgres;
    const fields = { host: '127.0.0.1', port, database, user, password: USER_PASSWORD };
    const { id } = await createConnection(
      { applicationSlug: 'postgresql', connectionName: user, fields },
      account.apiKey,
    );
    return await toolset(id, { readOnly: true });
  }

  row('completion.toolsets-and-workflows.4', 'runs no program on the server of a superuser', async () => {
    const id = await readOnly('boss');
    const sql = `COPY (SELECT 'x') TO PROGRAM 'cat > fairlead-attack'`;
    const { body } = expectStatus(await execute(id, RUN, { sql }), 200);
    expect(body).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('Give the connection a user that may only read.'),
    });
    expectError(
      await execute(id, 'postgresql-execute-statement', { sql: 'SELECT 1' }),
      403,
      'TOOL_NOT_IN_TOOLSET',
    );
  });

  row(
    'completion.toolsets-and-workflows.4',
    'runs queries of a user who may read, and nothing else',
    async () => {
      const id = await readOnly('reader');
      const query = await execute(id, RUN, { sql: 'TABLE ones;' });
      expect(query.body, query.text).toMatchObject({ isSuccess: true, output: { items: [{ n: 1 }] } });
      for (const sql of ['COPY ones TO STDOUT', 'SET TRANSACTION READ WRITE', 'LISTEN gossip']) {
        const { body } = expectStatus(await execute(id, RUN, { sql }), 200);
        expect(body, sql).toMatchObject({
          isSuccess: false,
          errorMessage: expect.stringContaining('SELECT, VALUES, TABLE or WITH'),
        });
      }
    },
  );
});

describe('fixedFields of an HTTP connection', () => {
  const SEND = 'http-send-request';
  let vendor: TestServer;
  let connectionId: number;
  beforeAll(async () => {
    vendor = await startTestServer(() => ({ body: {} }));
    connectionId = (
      await createConnection(
        { applicationSlug: 'http', connectionName: 'API', authenticationId: 0, fields: {} },
        account.apiKey,
      )
    ).id;
  });
  afterAll(() => vendor.close());

  row(
    ['completion.toolsets-and-workflows.3', 'completion.toolsets-and-workflows.13'],
    'are sent, and another input for the same part of the request is refused before anything is sent',
    async () => {
      const request = { method: 'POST', url: `${vendor.url}/x?kind=safe`, body: 'SAFE' };
      const id = await toolset(connectionId, { fixedFields: { [SEND]: request } });
      const file = { base64: Buffer.from('EVIL').toString('base64'), name: 'x' };
      for (const [fields, named] of [
        [{ file }, '`file`'],
        [{ query: { kind: 'evil' } }, '`query`'],
      ] as const) {
        const { body } = expectStatus(await execute(id, SEND, fields), 200);
        expect(body).toMatchObject({ isSuccess: false, errorMessage: expect.stringContaining(named) });
      }
      expect(vendor.requests).toEqual([]);
      expect((await execute(id, SEND, { body: 'EVIL', query: { page: 1 } })).body.isSuccess).toBe(true);
      expect(vendor.requests.map(({ body, query }) => [body, query.toString()])).toEqual([
        ['SAFE', 'kind=safe&page=1'],
      ]);
    },
  );
});
