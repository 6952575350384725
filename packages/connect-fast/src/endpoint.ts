/** A version of a service: the one that serves, and the one that is on trial beside it. */
export type Track = 'stable' | 'canary';

/** One address of a service, with the state for choosing between addresses. */
export interface Endpoint<C> {
  readonly url: string;
  /** The version that listens there. */
  readonly track: Track;
  readonly channel: C;
  /** Calls in flight; the balancer counts them. */
  inFlight: number;
  /** Responses so far. */
  answers: number;
  /** Failures since its last response. */
  failures: number;
  /** Until when others are preferred, in milliseconds of the balancer's clock. */
  avoidUntil: number;
  /** Whether others are preferred because it is about to stop, not because it failed. */
  isStopping: boolean;
}
