import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import { refuseAgentConnection } from '../domain/connection.ts';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { getConnection } from './get-connection.ts';

interface SetDefaultConnectionDeps {
  readonly connections: Pick<ConnectionStore, 'find' | 'setDefault'>;
  readonly clock: Clock;
}

/** Makes a connection the only default of its application and returns it; NOT_FOUND if there is none. */
export async function setDefaultConnection(
  { connections, clock }: SetDefaultConnectionDeps,
  ctx: RequestContext,
  id: number,
): Promise<Connection> {
  refuseAgentConnection(await getConnection({ connections }, ctx, id));
  const connection = await connections.setDefault(ctx, accountOf(ctx), id, clock.now());
  if (connection === undefined) throw notFound('connection');
  return connection;
}
