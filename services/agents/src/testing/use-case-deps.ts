import { testConnector, testMethod } from '@fairlead/connector-runtime/testing/calls';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { Connections } from '../ports/connections.ts';
import { createAgent } from '../use-cases/agents/create-agent.ts';
import { memoryAgents } from './memory-agents.ts';
import { taskDeps } from './task-deps.ts';

/** The caller of every use case. */
export const ctx = testContext({ accountId: 'acc_1' });
/** A caller of another account. */
export const stranger = testContext({ accountId: 'acc_2' });

/** Agents in memory, and existing connections by creation id. Agents belong to the application `onprem-http`. */
export function useCaseDeps() {
  const connections = new Map<string, number>();
  const agents = memoryAgents();
  const port: Connections = {
    create(_ctx, { creationId }) {
      connections.set(creationId, connections.size + 1);
      return Promise.resolve(connections.size);
    },
    delete(_ctx, creationId) {
      connections.delete(creationId);
      return Promise.resolve();
    },
  };
  const head = testConnector({
    slug: 'onprem-http',
    kind: 'OPA',
    authenticationMethods: [testMethod({ type: 'none' })],
  });
  const deps = {
    agents,
    connections: port,
    ...taskDeps(),
    catalog: {
      listSlugs: () => Promise.resolve(['onprem-http']),
      getConnector: () => Promise.resolve(head),
    },
  };
  const create = (o: Partial<Parameters<typeof createAgent>[2]> = {}) =>
    createAgent(deps, ctx, {
      applicationSlug: 'onprem-http',
      name: 'Lab',
      settings: {},
      licenceStatus: 'active',
      ...o,
    });
  return { deps, connections, create };
}
