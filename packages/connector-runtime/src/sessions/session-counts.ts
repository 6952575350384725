/** The events of a worker's sessions, as its metrics count them. */
export const SESSION_EVENTS = [
  'opened',
  'reused',
  /** Closed because no call needed it in time. */
  'idle',
  /** The server ended it, or sent something that nobody asked for, between two calls. */
  'lost',
  /** A call found that the server does not know it any more, or does not answer on it. */
  'stale',
  /** Closed because its last call was cut off or did not end as the protocol says. */
  'cut',
  /** Closed because the state that its last call left could not be taken back. */
  'unclean',
  /** Closed because the connection's credential or settings have changed. */
  'replaced',
  /** Closed because others were used more recently. */
  'excess',
  /** Closed because of its age. */
  'old',
] as const;

/** One of these events. */
export type SessionEvent = (typeof SESSION_EVENTS)[number];

/** How often something has happened to the sessions of a kind. */
export interface SessionCount {
  readonly kind: string;
  readonly event: SessionEvent;
  readonly count: number;
}
