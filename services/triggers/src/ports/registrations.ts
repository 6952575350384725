import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Vendor registrations of connections that are about to be deleted. */
export interface Registrations {
  /**
   * Removes the registrations of these connections at their vendors, before the connections are deleted: a vendor cannot be called without
   * the connection. Resolves when they are removed, or when the wait for an unavailable vendor is over. The triggers must already be disabled.
   */
  endOf(ctx: RequestContext, accountId: string, connectionIds: readonly number[]): Promise<void>;
}
