import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { ConnectionStatus } from '../domain/connection.ts';

/** Number of connections by kind and status; an absent member is 0. */
export type CountsByKind = Partial<Record<ApplicationKind, Partial<Record<ConnectionStatus, number>>>>;

/** Counts of an account's connections in one slot, over all applications or for one. */
export interface ConnectionCountDocument {
  /** The account id. One document without counts has ALL_COUNTED here: it says that every account is counted. */
  readonly accountId: string;
  /** Null: all applications. */
  readonly applicationSlug: string | null;
  /** Connections whose id has this remainder belong to the slot. */
  readonly slot: number;
  readonly counts: CountsByKind;
}

/** Stands for an account id, which is never empty. */
export const ALL_COUNTED = '';

/** The counters of storage/connection-counts.ts. */
export const connectionCountCollection = defineCollection<ConnectionCountDocument>({
  name: 'connection_counts',
  indexes: [{ key: { accountId: 1, applicationSlug: 1, slot: 1 }, name: 'one_a_slot', unique: true }],
});
