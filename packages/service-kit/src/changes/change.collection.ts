import type { Binary, Timestamp } from 'mongodb';
import { defineCollection } from '../mongo/collection.ts';

/** One change record. */
export interface ChangeDocument {
  /** The account; empty: none in particular, so no erasure removes it. */
  readonly accountId: string;
  /** The subject of the payload's message. */
  readonly subject: string;
  readonly payload: Binary;
  /** Time of the change, by the clock of its process. */
  readonly occurredAt: Date;
  /**
   * The database's logical time of the insert: unique, and later than that of every record committed before its
   * transaction began.
   */
  readonly writtenAt: Timestamp;
  /** The position among all changes, from 1; UNNUMBERED until the record is read. */
  readonly number: number;
}

/** The number of an unread record. */
export const UNNUMBERED = 0;

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Age up to which changes are guaranteed to readers. A reader without a cursor gets no older ones, so its next cursor
 * is valid.
 */
export const PROMISED_MS = 30 * DAY_MS;

/** Age up to which a cursor is valid; the additional hour lets a reader that starts with the oldest change continue. */
export const ACCEPTED_MS = PROMISED_MS + HOUR_MS;

/**
 * Lifetime of a change. Every change after a valid cursor still exists, although `occurredAt` of two changes may
 * contradict their order: machine clocks differ, and a transaction takes up to a minute.
 */
export const KEPT_MS = ACCEPTED_MS + HOUR_MS;

/** The index for reading pages. */
export const IN_ORDER = 'in_order';
/** The index for finding unnumbered records. */
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
