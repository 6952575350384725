import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { get, patch, post, stack } from './api.ts';
import { createConnection, createCrmConnection, removeConnection } from './connections.ts';
import { mcpServer, onPremAgent } from './endpoint-records.ts';
import { openLedger } from './ledger.ts';
import { ownRecord } from './own-record.ts';
import { authorizedState, startCrmSignIn } from './sign-in.ts';
import type { TestAccount } from './own-accounts.ts';
import type { TestRecord, RecordKind } from './record-kind.ts';
import { asOperator, createApiKey, createUser, expectStatus } from './accounts.ts';

const WAIT = { timeout: 90_000, interval: 50 };

const connection: RecordKind = {
  async create(account) {
    const { id } = await createCrmConnection('Matrix', account.apiKey);
    // So that a filter of the history matches something.
    const path = `/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`;
    expectStatus(await post(path, {}, account), 200);
    const read = async (): Promise<unknown> => ownRecord(get(`/v1/connections/${id}`, account));
    // Uses are written a little later; later reads include this one.
    await vi.waitUntil(async () => Object(await read()).lastUsedAt !== null, WAIT);
    return { id, read };
  },
  unknown: 2_000_000_000,
  own: {
    // Only a connection created by a sign-in needs the state of another sign-in.
    async replaceConnection(account) {
      const { id } = await createConnection(
        {
          applicationSlug: 'sandbox-crm',
          connectionName: 'Matrix, signed in',
          authenticationId: 0,
          oauthState: await authorizedState(account.apiKey),
        },
        account.apiKey,
      );
      return { id, read: () => ownRecord(get(`/v1/connections/${id}`, account)) };
    },
  },
};

/** An account's own application, created by a connection to an MCP server. */
const application: RecordKind = {
  async create(account) {
    const { applicationSlug } = await createConnection(
      {
        applicationSlug: 'mcp',
        connectionName: 'Matrix',
        authenticationId: 0,
        fields: { serverUrl: stack.samples.mcpServerUrl },
      },
      account.apiKey,
    );
    const id = String(applicationSlug);
    return { id, read: () => ownRecord(get(`/v1/applications/${id}`, account)) };
  },
  unknown: 'no-such-application',
};

const tool: RecordKind = {
  async create(account) {
    const { id: applicationSlug } = await application.create(account);
    const list = await get(`/v1/tools?applicationSlug=${applicationSlug}&top=1`, account);
    const id = String(list.body.items[0].toolSlug);
    const fields = { message: 'Matrix' };
    const path = `/v1/tools/${id}/execute?applicationSlug=${applicationSlug}`;
    expectStatus(await post(path, { fields }, account), 200);
    return { id, read: () => ownRecord(get(`/v1/tools/${id}?applicationSlug=${applicationSlug}`, account)) };
  },
  unknown: 'no-such-tool',
};

const execution: RecordKind = {
  async create(account) {
    const { id: connectionId } = await createCrmConnection('Matrix, executed', account.apiKey);
    const path = `/v1/tools/sandbox-crm-whoami/execute?connectionId=${connectionId}`;
    // So that the list of entries older than the record is not empty.
    expectStatus(await post(path, {}, account), 200);
    const answer = expectStatus(await post(path, {}, account), 200);
    await removeConnection(connectionId, account.apiKey);
    const id = Number(answer.body.historyId);
    return { id, read: () => ownRecord(get(`/v1/executions/${id}`, account)) };
  },
  unknown: 9_007_199_254_740_991,
  own: { listEvents: createTwoEvents },
  unknownIn: { listEvents: 'te_0000000000000000000000' },
};

/** The state of an unused sign-in. */
const signIn: RecordKind = {
  async create(account) {
    const { state } = await startCrmSignIn(account.apiKey);
    return { id: state, read: () => ownRecord(get(`/v1/connections/access-token/${state}`, account)) };
  },
  unknown: randomUUID(),
  refusal: { status: 400, errorCode: 'OAUTH_STATE_EXPIRED' },
};

const user: RecordKind = {
  async create(account) {
    const { userId, apiKey } = await createUser(account, { role: 'admin' });
    // So that a filter of the audit log matches something.
    expectStatus(await patch('/admin/v1/account', {}, { apiKey }), 200);
    return { id: userId, read: () => findInList('/admin/v1/users', 'userId', userId, account) };
  },
  unknown: 'usr_0000000000000000000000',
};

/** An account, for the operator, who may access all accounts. */
const operated: RecordKind = {
  create: ({ accountId: id }) =>
    Promise.resolve({ id, read: () => ownRecord(asOperator('GET', `/operator/v1/accounts/${id}`)) }),
  unknown: 'acc_0000000000000000000000',
};

const apiKey: RecordKind = {
  async create(account) {
    const { id } = await createApiKey(account);
    return { id, read: () => findInList('/admin/v1/api-keys', 'id', id, account) };
  },
  unknown: 'key_0000000000000000000000',
};

const oauthClient: RecordKind = {
  async create(account) {
    const created = await post('/admin/v1/oauth-clients', { name: 'Matrix' }, account);
    const id = String(expectStatus(created, 201).body.clientId);
    return { id, read: () => findInList('/admin/v1/oauth-clients', 'clientId', id, account) };
  },
  unknown: 'client_0000000000000000000000',
};

const connectSession: RecordKind = {
  async create(account) {
    const created = await post('/v1/connect-sessions', { endUserId: 'matrix' }, account);
    const id = String(expectStatus(created, 201).body.sessionId);
    return { id, read: () => ownRecord(get(`/v1/connect-sessions/${id}`, account)) };
  },
  unknown: 'cs_0000000000000000000000',
};

const file: RecordKind = {
  async create(account) {
    const sent = { raw: 'Matrix', headers: { 'content-type': 'text/plain' }, ...account };
    const id = String(expectStatus(await post('/v1/files', undefined, sent), 201).body.fileId);
    return {
      id,
      async read() {
        // A file's address differs each time.
        const { url: _url, ...record } = Object(await ownRecord(get(`/v1/files/${id}`, account)));
        return record;
      },
    };
  },
  unknown: 'file_0000000000000000000000',
};

async function createAuthProvider(
  account: TestAccount,
): Promise<{ id: number; name: string; read: TestRecord['read'] }> {
  const { oauthClientId: Key1, oauthClientSecret: Key2 } = stack.sandboxCrm;
  const name = `Matrix ${randomUUID()}`;
  const method = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
  const created = await post('/v1/auth-providers', { name, ...method, values: { Key1, Key2 } }, account);
  const id = Number(expectStatus(created, 201).body.id);
  return { id, name, read: () => ownRecord(get(`/v1/auth-providers/${id}`, account)) };
}

const authProvider: RecordKind = { create: createAuthProvider, unknown: 2_000_000_000 };

const authProviderName: RecordKind = {
  async create(account) {
    const { name, read } = await createAuthProvider(account);
    return { id: name, read };
  },
  unknown: 'no such provider',
};

const toolset: RecordKind = {
  async create(account) {
    const created = await post('/v1/toolsets', { name: 'Matrix' }, account);
    const id = String(expectStatus(created, 201).body.id);
    return { id, read: () => ownRecord(get(`/v1/toolsets/${id}`, account)) };
  },
  unknown: randomUUID(),
};

/** The approval that a call waits for. */
const approval: RecordKind = {
  async create(account) {
    const { id: connectionId } = await createCrmConnection('Matrix, approved', account.apiKey);
    const toolSlug = 'sandbox-crm-whoami';
    const members = { connections: [{ connectionId }], policy: { requireApproval: [toolSlug] } };
    const created = await post('/v1/toolsets', { name: 'Matrix, approved', ...members }, account);
    const toolsetId = String(expectStatus(created, 201).body.id);
    const refused = await post(`/v1/tools/${toolSlug}/execute?toolsetId=${toolsetId}`, {}, account);
    const id = String(expectStatus(refused, 409).body.approvalId);
    return { id, read: () => findInList('/v1/approvals', 'approvalId', id, account) };
  },
  unknown: randomUUID(),
};

const workflow: RecordKind = {
  async create(account) {
    const steps = [{ id: 'one', toolSlug: 'sandbox-crm-whoami' }];
    const sent = { name: 'Matrix', slug: `matrix-${randomUUID()}`, steps };
    const created = await post('/v1/workflows', sent, account);
    const id = String(expectStatus(created, 201).body.workflowToken);
    return { id, read: () => ownRecord(get(`/v1/workflows/${id}`, account)) };
  },
  unknown: randomUUID(),
};

const destination: RecordKind = {
  async create(account) {
    const sent = { url: 'https://receiver.example/', headers: { 'x-team': 'matrix' } };
    const id = String(expectStatus(await post('/v1/triggers/destinations', sent, account), 201).body.id);
    return { id, read: () => ownRecord(get(`/v1/triggers/destinations/${id}`, account)) };
  },
  unknown: 'dst_0000000000000000000000',
  own: { listEvents: createDestinationOfEvent },
};

const trigger: RecordKind = {
  async create(account) {
    const sent = { name: 'Matrix', triggerTypeSlug: 'http_webhook' };
    const id = String(expectStatus(await post('/v1/triggers', sent, account), 201).body.id);
    return { id, read: () => ownRecord(get(`/v1/triggers/${id}`, account)) };
  },
  unknown: 'trg_0000000000000000000000',
  own: { listEvents: createTriggerOfEvent },
};

const event: RecordKind = {
  async create(account) {
    const ledger = await openLedger();
    try {
      const { id: destinationId } = await destination.create(account);
      const states = { [String(destinationId)]: 'delivered' as const };
      const id = await ledger.store({ states, capturedAt: new Date() }, account);
      return { id, read: () => ownRecord(get(`/v1/triggers/events/${id}`, account)) };
    } finally {
      await ledger.close();
    }
  },
  unknown: 'te_0000000000000000000000',
};

/** An event with an earlier one before it. */
async function createTwoEvents(account: TestAccount): Promise<TestRecord> {
  await event.create(account);
  return event.create(account);
}

/** A trigger that has fired, so that a filter of events matches something. */
async function createTriggerOfEvent(account: TestAccount): Promise<TestRecord> {
  const ledger = await openLedger();
  try {
    const made = await trigger.create(account);
    await ledger.store({ triggerId: String(made.id), states: {}, capturedAt: new Date() }, account);
    return made;
  } finally {
    await ledger.close();
  }
}

/** Also the destination of an event. */
async function createDestinationOfEvent(account: TestAccount): Promise<TestRecord> {
  const ledger = await openLedger();
  try {
    const made = await destination.create(account);
    await ledger.store(
      { states: { [String(made.id)]: 'delivered' as const }, capturedAt: new Date() },
      account,
    );
    return made;
  } finally {
    await ledger.close();
  }
}

/**
 * How to create a record of each kind, by its name in a place (Place.name); for a name that does not name a record, the reason. A new
 * domain adds its records here; until its routes exist, its names list the awaited route.
 */
export const RECORDS: Readonly<Record<string, RecordKind | { readonly notARecord: string } | AwaitedKind>> = {
  connection,
  connectionId: connection,
  application,
  applicationSlug: application,
  tool,
  toolSlug: tool,
  execution,
  after: execution,
  'sign-in': signIn,
  oauthState: signIn,
  user,
  userId: user,
  actor: user,
  'API key': apiKey,
  'OAuth client': oauthClient,
  account: operated,
  'connect session': connectSession,
  file,
  fileId: file,
  operationId: { notARecord: 'an operation of a document that the call brings' },
  applicationSlugs: { notARecord: 'a list, which connect-sessions.test.ts examines' },
  toolset,
  approval,
  approvalId: approval,
  toolsetId: toolset,
  workflow,
  workflowToken: workflow,
  'MCP server': mcpServer,
  'on-prem agent': onPremAgent,
  destination,
  destinationIds: { notARecord: 'a list, which triggers.test.ts examines' },
  trigger,
  triggerTypeSlug: { notARecord: 'a trigger type, of which no account has its own' },
  destinationId: destination,
  event,
  triggerId: trigger,
  slug: { notARecord: 'a name that the account gives its workflow, or the application that it imports' },
  canary: { notARecord: 'that of one of the platform’s services, which no account owns' },
  id: { notARecord: 'a name that a workflow gives its step' },
  'auth provider': authProvider,
  authProviderId: authProvider,
  authProvider: authProviderName,
  authenticationId: { notARecord: 'a number within an application' },
  endUserId: { notARecord: 'a name that the account gives its customer' },
  'end user': { notARecord: 'a name that the account gives its customer' },
  accessToken: { notARecord: 'a credential at the vendor' },
  refreshToken: { notARecord: 'a credential at the vendor' },
};

/** Places (as nameOf names them) for which no account's record exists, with the reason. */
export const NOT_EXAMINED: Readonly<Record<string, string>> = {
  'GET /v1/connections, query applicationSlug':
    'an application of an account has one connection, to an MCP server, which the list leaves out',
  'GET /v1/triggers/types, query applicationSlug': 'no application of an account has trigger types',
  'POST /v1/on-prem-agents, body applicationSlug': 'no application of an account has agents',
  'POST /admin/v1/applications/import, body operations[].toolSlug':
    'a name that the account gives a new tool',
  'POST /admin/v1/mcpservers, body connections[].applicationSlug': 'it is ignored',
  'PATCH /v1/mcpservers/{mcpServerToken}, body connections[].applicationSlug': 'it is ignored',
  'GET /v1/auth-providers/usable, query applicationSlug': 'no application of an account takes auth providers',
};

/** A kind of record that no route creates yet; until then the matrix only uses unknown ids. */
export interface AwaitedKind {
  /** The route that will create one. Once it exists, replace this entry by a RecordKind. */
  readonly awaits: string;
  readonly unknown: string | number;
}

/** Records of the catalogue, shared by all accounts: values for a request's other places. */
export const CATALOGUE: Readonly<Record<string, string>> = {
  application: 'sandbox-crm',
  applicationSlug: 'sandbox-crm',
  tool: 'sandbox-crm-whoami',
  toolSlug: 'sandbox-crm-whoami',
};

/** A record as in its account's list; using a key does not count as a change. */
async function findInList(path: string, member: string, id: string, account: TestAccount): Promise<unknown> {
  const { items } = (await get(`${path}?top=100`, account)).body;
  const { lastUsedAt: _use, ...record } = items.find((it: Record<string, unknown>) => it[member] === id);
  return record;
}
