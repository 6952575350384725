import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The destinations of the calling account. */
export interface Destinations {
  /** The existing ones among these ids. */
  findExisting(ctx: RequestContext, ids: readonly string[]): Promise<readonly string[]>;
}
