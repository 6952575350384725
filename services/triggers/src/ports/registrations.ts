import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Registrations at vendors of connections that are about to be deleted. */
export interface Registrations {
  /**
   * Has the registrations of these connections removed at their vendors. Resolves when they are, or when a vendor that is away
   * was waited for in vain: nobody can call it for the connection afterwards. Their triggers are disabled already.
   */
  endOf(ctx: RequestContext, accountId: string, connectionIds: readonly number[]): Promise<void>;
}
