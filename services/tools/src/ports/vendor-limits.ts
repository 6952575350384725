import type { Connection } from '../domain/target.ts';

/** Which connections a vendor takes no calls of, on all replicas. */
export interface VendorLimits {
  /** Until when; undefined: it takes them. A limit of an earlier credential than the connection's ends here. */
  until(accountId: string, connection: Pick<Connection, 'id' | 'credential'>): Date | undefined;
  /** The vendor said that it takes no further calls of this credential for so long. */
  note(accountId: string, limit: ConnectionLimit): void;
}

/** A rate limit that a vendor announced for a connection. */
export interface ConnectionLimit {
  readonly connectionId: number;
  readonly credentialVersion: number;
  readonly forMs: number;
}
