import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerType } from '../domain/trigger.ts';

/** The trigger types of the catalogue. */
export interface TriggerTypes {
  /** The type with that slug, as the caller sees it; NOT_FOUND if there is none. */
  resolve(ctx: RequestContext, slug: string): Promise<TriggerType>;
}
