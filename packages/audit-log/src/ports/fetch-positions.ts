import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The position up to which the events of a service were fetched. */
export interface FetchPosition {
  readonly cursor: string;
  /** When a fetch last found nothing left; undefined: never. */
  readonly completeAt: Date | undefined;
}

/** The position of each service's events, shared by all replicas. */
export interface FetchPositions {
  /** Undefined: nothing was fetched yet. */
  find(ctx: RequestContext, service: string): Promise<FetchPosition | undefined>;
  /** Stores the position; a `completeAt` of undefined keeps the previous value. */
  save(service: string, position: FetchPosition): Promise<void>;
}
