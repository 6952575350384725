import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The destinations of the calling account. */
export interface Destinations {
  /** Those of the ids that exist. */
  findExisting(ctx: RequestContext, ids: readonly string[]): Promise<readonly string[]>;
}
