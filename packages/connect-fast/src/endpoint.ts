/** A version of a service: the stable one, or the canary beside it. */
export type Track = 'stable' | 'canary';

/** One address of a service, with the state for choosing between addresses. */
export interface Endpoint<C> {
  readonly url: string;
  /** The version at this address. */
  readonly track: Track;
  readonly channel: C;
  /** Calls in flight, counted by the balancer. */
  inFlight: number;
  /** Number of responses so far. */
  answers: number;
  /** Number of failures since the last response. */
  failures: number;
  /** Time until which other endpoints are preferred, in milliseconds of the balancer's clock. */
  avoidUntil: number;
  /** Whether others are preferred because this endpoint is about to stop, not because it failed. */
  isStopping: boolean;
}
