import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The callers of this service, whom the gateway authenticated. */
export interface Callers {
  /**
   * Asks the gateway whether the caller may still execute tools with the same credential. Rejects with CallerRefused if not, and
   * with UNAVAILABLE if no gateway has answered within some seconds: then nothing may be executed.
   */
  requireCurrent(ctx: RequestContext): Promise<void>;
}
