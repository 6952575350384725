import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The connections of the calling account. */
export interface Connections {
  /** The connections with these ids that exist, with their applications. */
  findConnections(
    ctx: RequestContext,
    ids: readonly number[],
  ): Promise<readonly { readonly id: number; readonly applicationSlug: string }[]>;
}
