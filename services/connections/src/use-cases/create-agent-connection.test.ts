import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { NewConnection } from '../ports/connection-store.ts';
import { connection, connectorHead, NOW, OWNER } from '../testing/builders.ts';
import { createAgentConnection } from './create-agent-connection.ts';

async function create(kind: 'OPA' | 'Regular') {
  const stored: NewConnection[] = [];
  const deps = {
    catalog: { getConnector: () => Promise.resolve(connectorHead({ slug: 'onprem-http', kind })) },
    connections: {
      nextId: () => Promise.resolve(7),
      insert(_ctx: unknown, _account: string, given: NewConnection) {
        stored.push(given);
        return Promise.resolve(connection({ id: given.id }));
      },
    },
    clock: new ManualClock(NOW),
  };
  const { id } = await createAgentConnection(deps, testContext(OWNER), {
    applicationSlug: 'onprem-http',
    connectionName: 'Lab',
    creationId: 'c1',
    licenceStatus: 'none',
  });
  return { id, stored };
}

test('the connection of an agent names its creation, and has its licence', async () => {
  const { id, stored } = await create('OPA');
  expect(id).toBe(7);
  expect(stored).toMatchObject([
    {
      id: 7,
      accountId: OWNER.accountId,
      connectionName: 'Lab',
      agentCreationId: 'c1',
      kind: 'OPA',
      licence: { status: 'none' },
    },
  ]);
});

test('another application has no agents', async () => {
  await expect(create('Regular')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
