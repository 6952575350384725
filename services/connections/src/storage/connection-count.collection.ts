import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { ConnectionStatus } from '../domain/connection.ts';

/** How many connections have a kind and a status; an absent member is 0. */
export type CountsByKind = Partial<Record<ApplicationKind, Partial<Record<ConnectionStatus, number>>>>;

/** Counts of an account's connections in one slot, of all applications or of one. */
export interface ConnectionCountDocument {
  /** ALL_COUNTED for the one document that says that every account is counted; it has no counts. */
  readonly accountId: string;
  /** Null: of all applications. */
  readonly applicationSlug: string | null;
  /** The connections whose id leaves this remainder. */
  readonly slot: number;
  readonly counts: CountsByKind;
}

/** Stands in the place of an account id, which is never empty. */
export const ALL_COUNTED = '';

/** The counters of storage/connection-counts.ts. */
export const connectionCountCollection = defineCollection<ConnectionCountDocument>({
  name: 'connection_counts',
  indexes: [{ key: { accountId: 1, applicationSlug: 1, slot: 1 }, name: 'one_a_slot', unique: true }],
});
