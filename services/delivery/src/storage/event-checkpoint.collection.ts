import { checkpointCollection, countStateCollection } from '@fairlead/counts/checkpoint.collection';
import { RETENTION_MS } from '../domain/event.ts';

/** The counts of a checkpoint of events: those in each delivery state. Earlier checkpoints counted `all` beside them. */
export const EVENT_MEMBERS = ['all', 'none', 'pending', 'delivered', 'deadLettered', 'held'] as const;
/** One of them. */
export type EventMember = (typeof EVENT_MEMBERS)[number];

/** The checkpoints of events by what has become of them: removed where that changes. */
export const eventCheckpointCollection = checkpointCollection<string, EventMember>({
  name: 'event_checkpoints',
  members: EVENT_MEMBERS,
  rowSeconds: RETENTION_MS / 1_000,
});

/** The states of accounts whose events are counted so. */
export const eventCountStateCollection = countStateCollection<string>('event_count_states');

/** The checkpoints of events whatever has become of them: what changes that leaves them as they are. */
export const eventRowCheckpointCollection = checkpointCollection<string, 'all'>({
  name: 'event_row_checkpoints',
  members: ['all'],
  rowSeconds: RETENTION_MS / 1_000,
});

/** The states of accounts whose events are counted so. */
export const eventRowCountStateCollection = countStateCollection<string>('event_row_count_states');
