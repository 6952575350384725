import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { newMembers } from '../domain/connection.ts';
import type { Connection, LicenceStatus } from '../domain/connection.ts';
import { checkDetails } from '../domain/details.ts';
import { splitSecrets } from '../domain/fields.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { requireMethod } from '../domain/require-method.ts';

interface CreateAgentConnectionDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'nextId' | 'insert'>;
  readonly clock: Clock;
}

/** Stores the connection of a new on-prem agent; the credentials stay in the agent's network. */
export async function createAgentConnection(
  { catalog, connections, clock }: CreateAgentConnectionDeps,
  ctx: RequestContext,
  o: {
    readonly applicationSlug: string;
    readonly connectionName: string;
    readonly creationId: string;
    readonly licenceStatus: LicenceStatus;
  },
): Promise<Connection> {
  const details = checkDetails({
    connectionName: o.connectionName,
    description: null,
    metadata: LazyJson.of({}),
  });
  const head = await catalog.getConnector(ctx, o.applicationSlug);
  if (head.kind !== 'OPA')
    throw validationError({ field: 'applicationSlug', issue: 'must be an application of on-prem agents' });
  const method = requireMethod(head, undefined);
  const accountId = accountOf(ctx);
  return await connections.insert(ctx, accountId, {
    id: await connections.nextId(),
    accountId,
    endUserId: null,
    agentCreationId: o.creationId,
    ...details,
    ...newMembers(head, method, o.licenceStatus),
    credential: {
      fields: splitSecrets(method, {}),
      fieldOptions: {},
      tokens: null,
      authProviderId: null,
      addressRevision: null,
      consumes: null,
    },
    createdAt: clock.now(),
  });
}
