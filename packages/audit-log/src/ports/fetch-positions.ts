import type { RequestContext } from '@fairlead/service-kit/context/context';

/** How far the events of a service were fetched. */
export interface FetchPosition {
  readonly cursor: string;
  /** When nothing was left to fetch the last time; undefined: never. */
  readonly completeAt: Date | undefined;
}

/** How far the events of each service were fetched, by all replicas together. */
export interface FetchPositions {
  /** Undefined: nothing was fetched yet. */
  find(ctx: RequestContext, service: string): Promise<FetchPosition | undefined>;
  /** Stores the position; a `completeAt` of undefined keeps the former one. */
  save(service: string, position: FetchPosition): Promise<void>;
}
