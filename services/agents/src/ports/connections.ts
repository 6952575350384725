import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LicenceStatus } from '../domain/licence-status.ts';

/** The connections of agents, in the connections service. */
export interface Connections {
  /** Creates the connection of a new agent, and returns its id. */
  create(
    ctx: RequestContext,
    o: {
      readonly applicationSlug: string;
      readonly connectionName: string;
      readonly creationId: string;
      readonly licenceStatus: LicenceStatus;
    },
  ): Promise<number>;
  /** Removes the connection with that creation id; succeeds if there is none. */
  delete(ctx: RequestContext, creationId: string): Promise<void>;
}
