import { checkpointCollection, countStateCollection } from '@fairlead/counts/checkpoint.collection';
import { RETENTION_MS } from '../domain/event.ts';

/** Counters in a checkpoint of events, per delivery state. Earlier checkpoints also had `all`. */
export const EVENT_MEMBERS = ['all', 'none', 'pending', 'delivered', 'deadLettered', 'held'] as const;
/** One of these counters. */
export type EventMember = (typeof EVENT_MEMBERS)[number];

/** Checkpoints of events by delivery state: removed when a state before them changes. */
export const eventCheckpointCollection = checkpointCollection<string, EventMember>({
  name: 'event_checkpoints',
  members: EVENT_MEMBERS,
  rowSeconds: RETENTION_MS / 1_000,
});

/** Counting state per account, for these checkpoints. */
export const eventCountStateCollection = countStateCollection<string>('event_count_states');

/** Checkpoints of events regardless of their delivery state, so that changes of state do not affect them. */
export const eventRowCheckpointCollection = checkpointCollection<string, 'all'>({
  name: 'event_row_checkpoints',
  members: ['all'],
  rowSeconds: RETENTION_MS / 1_000,
});

/** Counting state per account, for these checkpoints. */
export const eventRowCountStateCollection = countStateCollection<string>('event_row_count_states');
