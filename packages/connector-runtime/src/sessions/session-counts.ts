/** Session events in a worker, for its metrics. */
export const SESSION_EVENTS = [
  'opened',
  'reused',
  /** Closed because no call used it for its maximum idle time. */
  'idle',
  /** The server ended it, or sent something unexpected, between two calls. */
  'lost',
  /** A call found that the server no longer knows the session, or does not answer in it. */
  'stale',
  /** Closed because its last call was interrupted, or ended in violation of the protocol. */
  'cut',
  /** Closed because the state that its last call left could not be reset. */
  'unclean',
  /** Closed because the connection's credential or settings have changed. */
  'replaced',
  /** Closed because other sessions were used more recently. */
  'excess',
  /** Closed because of its age. */
  'old',
] as const;

/** One of these events. */
export type SessionEvent = (typeof SESSION_EVENTS)[number];

/** The number of events of each kind. */
export interface SessionCount {
  readonly kind: string;
  readonly event: SessionEvent;
  readonly count: number;
}
