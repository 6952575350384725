import { encodeConnectorHead } from '@fairlead/connector-model/codec';
import { testConnector, testMethod } from '@fairlead/connector-runtime/testing/calls';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { AgentConnectionService } from '@fairlead/contracts/connections/v1/agent_connection_service_pb';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { AgentService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { testContext } from '@fairlead/service-kit/testing/context';
import { startAgents } from './start-agents.ts';
import type { TestAgents } from './start-agents.ts';

/** The service with stand-ins: a catalog with `onprem-http`, and connections with consecutive ids. */
export function startOwnAgents(stores: Parameters<typeof startAgents>[0]): Promise<TestAgents> {
  const authenticationMethods = [testMethod({ type: 'none' })];
  const head = testConnector({ slug: 'onprem-http', kind: 'OPA', authenticationMethods });
  let lastId = 0;
  return startAgents(stores, (router) =>
    router
      .service(ApplicationService, {
        listApplications: () => ({ items: [{ slug: 'onprem-http' }], totalCount: 1 }),
        getConnector: () => ({ encodedConnector: encodeConnectorHead(head) }),
      })
      .service(AgentConnectionService, {
        createAgentConnection() {
          lastId += 1;
          return { id: lastId };
        },
        deleteAgentConnection: () => ({}),
      }),
  );
}

/** Creates an agent in an account; returns it with its token. */
export async function createTestAgent(
  service: Pick<TestAgents, 'client'>,
  accountId: string,
  settings: { readonly parallelTasks?: { readonly value: number } } = {},
): Promise<{ readonly id: number; readonly token: string }> {
  const { agent, token } = await service.client(AgentService).createAgent(testContext({ accountId }), {
    applicationSlug: 'onprem-http',
    name: 'Lab',
    licenceStatus: LicenceStatus.ACTIVE,
    settings,
  });
  if (agent === undefined) throw new Error('The agent was not created.');
  return { id: agent.id, token };
}
