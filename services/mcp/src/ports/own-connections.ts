import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A connection of one user's own to an application, or a shared one. */
export type UsedConnection =
  { readonly applicationSlug: string; readonly endUserId: string } | { readonly sharedId: number };

/** A connection whose sign-in has expired. */
export interface ExpiredConnection {
  readonly id: number;
  readonly name: string;
  /** Whether a link can renew it. */
  readonly isRenewable: boolean;
}

/** A connection that a user makes, or renews. */
export interface LinkedConnection {
  readonly userId: string;
  readonly applicationSlug: string;
  /** Undefined: a new one. */
  readonly connectionId: number | undefined;
  /** Whether it is the account's own, not the user's. */
  readonly isShared: boolean;
  /** The elicitation that asks for it. */
  readonly elicitationId: string;
}

/** The connections that users have of their own, and renew. */
export interface OwnConnections {
  /** The connection if its sign-in has expired; undefined otherwise. */
  findExpired(ctx: RequestContext, used: UsedConnection): Promise<ExpiredConnection | undefined>;
  /** The address at which that user alone can make or renew the connection. */
  linkFor(linked: LinkedConnection): string;
}
