import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A connection and its application. */
export interface ConnectionSummary {
  readonly id: number;
  readonly applicationSlug: string;
  /** Whether users can have their own connections to the application. */
  readonly isForUsers: boolean;
}

/** The connections of the calling account. */
export interface Connections {
  /** The existing connections among these ids. */
  findConnections(ctx: RequestContext, ids: readonly number[]): Promise<readonly ConnectionSummary[]>;
}
