import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection, Licence } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

interface SetLicenceDeps {
  readonly connections: Pick<ConnectionStore, 'setLicence'>;
  readonly clock: Clock;
}

/** Sets the licence of a connection and returns the connection; NOT_FOUND if there is none. */
export async function setLicence(
  { connections, clock }: SetLicenceDeps,
  ctx: RequestContext,
  id: number,
  licence: Licence,
): Promise<Connection> {
  const connection = await connections.setLicence(ctx, accountOf(ctx), id, licence, clock.now());
  if (connection === undefined) throw notFound('connection');
  return connection;
}
