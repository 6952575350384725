import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The current permissions of callers, according to the gateway. */
export interface Callers {
  /**
   * Asks the gateway whether the caller may still execute tools with the same credential. Rejects with CallerRefused if not, and with
   * UNAVAILABLE if no gateway answers within some seconds; in both cases nothing may be executed.
   */
  requireCurrent(ctx: RequestContext): Promise<void>;
}
