import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A connection and its application. */
export interface FoundConnection {
  readonly id: number;
  readonly applicationSlug: string;
  /** Whether each user can have a connection of their own to the application. */
  readonly isForUsers: boolean;
}

/** The connections of the calling account. */
export interface Connections {
  /** The connections with these ids that exist. */
  findConnections(ctx: RequestContext, ids: readonly number[]): Promise<readonly FoundConnection[]>;
}
