import type { Connection } from '../domain/target.ts';

/** Connections whose vendor currently accepts no calls, on all replicas. */
export interface VendorLimits {
  /** When the limit ends; undefined: not limited. A limit of an earlier credential version does not apply. */
  until(accountId: string, connection: Pick<Connection, 'id' | 'credential'>): Date | undefined;
  /** Records the vendor's statement that it accepts no calls with this credential for this long. */
  note(accountId: string, limit: ConnectionLimit): void;
}

/** A rate limit that a vendor announced for a connection. */
export interface ConnectionLimit {
  readonly connectionId: number;
  readonly credentialVersion: number;
  readonly forMs: number;
}
