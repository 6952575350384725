import type { Claims } from '@fairlead/service-kit/sweep/claims';

/** The members that are read of a connection whose grant is due. */
export interface DueGrant {
  readonly _id: number;
  readonly accountId: string;
  readonly credential: { readonly version: number };
}

/** The grants that nobody has renewed for about a day; their partitions are the hosts of the vendors' token endpoints. */
export type DueGrants = Claims<DueGrant>;
