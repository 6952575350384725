import type { Claims } from '@fairlead/service-kit/sweep/claims';

/** The members read of a connection whose grant is due. */
export interface DueGrant {
  readonly _id: number;
  readonly accountId: string;
  readonly credential: { readonly version: number };
}

/** Grants not renewed for about a day; partitioned by host of the vendor's token endpoint. */
export type DueGrants = Claims<DueGrant>;
