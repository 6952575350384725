import { encodeConnectorHead } from '@fairlead/connector-model/codec';
import { AgentStatus, LogLevel } from '@fairlead/contracts/agents/v1/agent_pb';
import { AgentService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { AgentConnectionService } from '@fairlead/contracts/connections/v1/agent_connection_service_pb';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { eraseAll, exportAll } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testConnector, testMethod } from '@fairlead/connector-runtime/testing/calls';
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { agentCollection } from './storage/agent.collection.ts';
import { startAgents } from './testing/start-agents.ts';
import type { TestAgents } from './testing/start-agents.ts';

const authenticationMethods = [testMethod({ type: 'none' })];
const head = testConnector({ slug: 'onprem-http', kind: 'OPA', authenticationMethods });

let service: TestAgents;
let agents: RpcClient<typeof AgentService>;
/** The existing connections, by the creation id of their agent. */
let connections: Map<string, number>;
/** Called before a connection is stored. */
let onCreate = (): void => undefined;
let lastId = 0;

beforeAll(async () => {
  service = await startAgents({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') }, (router) =>
    router
      .service(ApplicationService, {
        listApplications: () => ({
          items: [{ slug: 'onprem-files' }, { slug: 'onprem-http' }],
          totalCount: 2,
        }),
        getConnector: () => ({ encodedConnector: encodeConnectorHead(head) }),
      })
      .service(AgentConnectionService, {
        createAgentConnection({ creationId }) {
          onCreate();
          lastId += 1;
          connections.set(creationId, lastId);
          return { id: lastId };
        },
        deleteAgentConnection({ creationId }) {
          connections.delete(creationId);
          return {};
        },
      }),
  );
  agents = service.client(AgentService);
});
afterAll(() => service.close());
beforeEach(() => {
  connections = new Map();
  onCreate = () => undefined;
});

const create = (accountId: string, o: { applicationSlug?: string; name?: string } = {}) =>
  agents.createAgent(testContext({ accountId }), {
    applicationSlug: 'onprem-http',
    name: 'Lab',
    licenceStatus: LicenceStatus.ACTIVE,
    ...o,
  });

test('an agent has a connection, a token and settings of its own', async () => {
  const ctx = testContext({ accountId: 'whole' });
  const { agent, token } = await create('whole');
  const id = agent?.id ?? 0;
  expect(agent).toMatchObject({
    name: 'Lab',
    applicationSlug: 'onprem-http',
    status: AgentStatus.WAITING_FOR_CONNECTION,
    settings: { parallelTasks: 10, pullPeriodSeconds: 10, logLevel: LogLevel.INFORMATION },
  });
  expect([...connections.values()]).toEqual([id]);
  expect(await agents.getToken(ctx, { id })).toMatchObject({ token });
  const settings = { parallelTasks: { value: 3 }, logLevel: { value: LogLevel.DEBUG } };
  expect(await agents.updateAgent(ctx, { id, settings })).toMatchObject({ appliedToAgent: false });
  expect((await agents.getAgent(ctx, { id })).agent?.settings).toMatchObject({
    parallelTasks: 3,
    pullPeriodSeconds: 10,
    logLevel: LogLevel.DEBUG,
  });
  await expect(
    agents.updateAgent(ctx, { id, settings: { parallelTasks: { value: 0 } } }),
  ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect((await agents.rotateToken(ctx, { id })).token).not.toBe(token);
  const other = testContext({ accountId: 'another' });
  for (const call of [
    () => agents.getAgent(other, { id }),
    () => agents.getToken(other, { id }),
    () => agents.rotateToken(other, { id }),
    () => agents.updateAgent(other, { id, settings: {} }),
    () => agents.deleteAgent(other, { id }),
  ])
    await expect(call()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `The on-prem agent ${id} does not exist.`,
    });
  await agents.deleteAgent(ctx, { id });
  expect(connections.size).toBe(0);
  expect((await agents.listAgents(ctx, {})).totalCount).toBe(0);
});

test('an application that is not one of agents, or ambiguous, stores nothing', async () => {
  await expect(create('refused', { applicationSlug: 'crm' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(create('refused', { applicationSlug: 'onprem' })).rejects.toMatchObject({
    code: 'AMBIGUOUS_APPLICATION',
    candidates: ['onprem-files', 'onprem-http'],
  });
  expect(connections.size).toBe(0);
  expect((await agents.listAgents(testContext({ accountId: 'refused' }), {})).totalCount).toBe(0);
});

test('an agent whose connection cannot be stored is gone', async () => {
  onCreate = () => {
    throw new ApiError('UNAVAILABLE', 'Away.');
  };
  await expect(create('failed')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await service.db.collection(agentCollection.name).countDocuments({ accountId: 'failed' })).toBe(0);
});

test('a creation and a deletion that lost their process are undone and completed by the sweep', async () => {
  const accountId = 'swept';
  await create(accountId);
  await create(accountId);
  const removal = { lane: accountId, at: new Date(0), claim: null };
  const documents = service.db.collection(agentCollection.name);
  for (const state of ['creating', 'removing'])
    await documents.updateOne({ accountId, state: 'ready' }, { $set: { state, removal } });
  await vi.waitFor(async () => expect(await documents.countDocuments({ accountId })).toBe(0), 90_000);
  expect(connections.size).toBe(0);
});

test('the data of an account is exported without tokens, and erased', async () => {
  const { token } = await create('erased');
  const data = service.client(AccountDataService);
  const records = await exportAll(data, 'erased');
  expect(records).toMatchObject({ agents: [{ name: 'Lab' }] });
  expect(JSON.stringify(records)).not.toContain(token);
  await eraseAll(data, 'erased');
  expect((await agents.listAgents(testContext({ accountId: 'erased' }), {})).totalCount).toBe(0);
});
