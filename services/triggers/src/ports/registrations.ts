import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Vendor registrations of connections that are about to be deleted. */
export interface Registrations {
  /**
   * Removes the registrations of these connections at their vendors. Resolves when they are removed, or when the wait for an unavailable
   * vendor is over: later, nobody can call it for the connection. The triggers must already be disabled.
   */
  endOf(ctx: RequestContext, accountId: string, connectionIds: readonly number[]): Promise<void>;
}
