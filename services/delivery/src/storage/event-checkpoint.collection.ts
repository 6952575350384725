import {
  checkpointCollection,
  countStateCollection,
} from '@fairlead/service-kit/counts/checkpoint.collection';
import { RETENTION_MS } from '../domain/event.ts';

/** What checkpoints of events count: all of them, and those of which this has become. */
export const EVENT_MEMBERS = ['all', 'none', 'pending', 'delivered', 'deadLettered', 'held'] as const;
/** One of them. */
export type EventMember = (typeof EVENT_MEMBERS)[number];

/** The checkpoints of events. */
export const eventCheckpointCollection = checkpointCollection<string, EventMember>({
  name: 'event_checkpoints',
  members: EVENT_MEMBERS,
  rowSeconds: RETENTION_MS / 1_000,
});

/** The states of accounts whose events are counted. */
export const eventCountStateCollection = countStateCollection<string>('event_count_states');
