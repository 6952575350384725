import type { Binary, Timestamp } from 'mongodb';
import { defineCollection } from '../mongo/collection.ts';

/** One change record. */
export interface ChangeDocument {
  /** Empty: it concerns no particular account, and no erasure removes it. */
  readonly accountId: string;
  /** The subject of the payload's message. */
  readonly subject: string;
  readonly payload: Binary;
  /** By the clock of the process that made the change. */
  readonly occurredAt: Date;
  /** The database's logical time of the insert: unique, and later for whatever began after a commit. */
  readonly writtenAt: Timestamp;
  /** The position among all changes, from 1; UNNUMBERED until the record is read. */
  readonly number: number;
}

/** The number of a record that has not been read yet. */
export const UNNUMBERED = 0;

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/** The age up to which readers are promised changes. A reader without a cursor gets no older one, so that its next cursor is accepted. */
export const PROMISED_MS = 30 * DAY_MS;

/** The age up to which a cursor is accepted: an hour for a reader that starts with the oldest change to continue. */
export const ACCEPTED_MS = PROMISED_MS + HOUR_MS;

/**
 * How long a change is kept. A change after an accepted cursor always exists, although `occurredAt` of two changes may
 * contradict their order: clocks of machines differ, and a transaction takes up to a minute.
 */
export const KEPT_MS = ACCEPTED_MS + HOUR_MS;

/** The index that pages are read by. */
export const IN_ORDER = 'in_order';
/** The index that new records are found by. */
export const UNNUMBERED_INDEX = 'unnumbered';

/** Reads filter on `occurredAt` themselves; the TTL index only cleans up. */
export const changeCollection = defineCollection<ChangeDocument>({
  name: 'changes',
  indexes: [
    {
      key: { number: 1 },
      name: IN_ORDER,
      unique: true,
      partialFilterExpression: { number: { $gt: UNNUMBERED } },
    },
    {
      key: { writtenAt: 1 },
      name: UNNUMBERED_INDEX,
      partialFilterExpression: { number: UNNUMBERED },
    },
    { key: { occurredAt: 1 }, name: 'clear_away', expireAfterSeconds: KEPT_MS / 1000 },
    { key: { accountId: 1 }, name: 'of_an_account' },
  ],
});
