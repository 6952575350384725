import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LicenceStatus } from '../domain/licence-status.ts';

/** The connections of agents. */
export interface Connections {
  /** Stores the connection of a new agent, and returns its id. */
  create(
    ctx: RequestContext,
    o: {
      readonly applicationSlug: string;
      readonly connectionName: string;
      readonly creationId: string;
      readonly licenceStatus: LicenceStatus;
    },
  ): Promise<number>;
  /** Removes the connection that a creation has stored; succeeds if there is none. */
  delete(ctx: RequestContext, creationId: string): Promise<void>;
}
