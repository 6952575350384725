import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A user's own connection to an application, or a shared one. */
export type UsedConnection =
  { readonly applicationSlug: string; readonly endUserId: string } | { readonly sharedId: number };

/** A connection with an expired sign-in. */
export interface ExpiredConnection {
  readonly id: number;
  readonly name: string;
  /** Whether it can be renewed by a link. */
  readonly isRenewable: boolean;
}

/** A connection that a user creates or renews. */
export interface LinkedConnection {
  readonly userId: string;
  readonly applicationSlug: string;
  /** The connection to renew; undefined: a new one. */
  readonly connectionId: number | undefined;
  /** Whether it belongs to the account, not to the user. */
  readonly isShared: boolean;
  readonly elicitationId: string;
}

/** Users' own connections, and links to create or renew them. */
export interface OwnConnections {
  /** The connection if its sign-in has expired; undefined otherwise. */
  findExpired(ctx: RequestContext, used: UsedConnection): Promise<ExpiredConnection | undefined>;
  /** The address at which only that user can create or renew the connection. */
  linkFor(linked: LinkedConnection): string;
}
