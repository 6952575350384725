import { testConnector, testMethod } from '@fairlead/connector-runtime/testing/calls';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { Connections } from '../ports/connections.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { createAgent } from '../use-cases/agents/create-agent.ts';
import { memoryAgents } from './memory-agents.ts';

/** The caller of every use case. */
export const ctx = testContext({ accountId: 'acc_1' });
/** A caller of another account. */
export const stranger = testContext({ accountId: 'acc_2' });

/** No agent has tasks. */
const noTasks: Pick<TaskStore, 'endAll' | 'takeFromOthers'> = {
  endAll: () => Promise.resolve(),
  takeFromOthers: () => Promise.resolve(),
};

/** Agents in memory, and the connections that exist, by the id of their creation. Agents are of the application `onprem-http`. */
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
    tasks: noTasks,
    wakes: { wake: () => undefined },
    catalog: {
      listSlugs: () => Promise.resolve(['onprem-http']),
      getConnector: () => Promise.resolve(head),
    },
    clock: new ManualClock(new Date('2026-11-29T12:00:00.000Z')),
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
