import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A connection of one user's own. */
export interface OwnConnection {
  readonly applicationSlug: string;
  readonly endUserId: string;
}

/** The connections that users have of their own. */
export interface OwnConnections {
  /** Id of the user's connection to the application if its sign-in has expired; undefined otherwise. */
  findExpired(ctx: RequestContext, of: OwnConnection): Promise<number | undefined>;
  /** The address at which that user alone can connect the application, or renew the connection. */
  linkFor(userId: string, applicationSlug: string, connectionId: number | undefined): string;
}
