import { KEPT_DAYS } from '@fairlead/service-kit/metering/day';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** Number of events of an account captured on one day. */
export interface EventDayDocument {
  readonly accountId: string;
  readonly day: string;
  /** The first moment of the day. */
  readonly startsAt: Date;
  readonly eventCount: number;
}

const DAY_SECONDS = 24 * 60 * 60;

/** One document per account and day; it expires when usage no longer covers the day. */
export const eventDayCollection = defineCollection<EventDayDocument>({
  name: 'event_days',
  indexes: [
    { key: { accountId: 1, day: -1 }, unique: true, name: 'day_of_an_account' },
    { key: { startsAt: 1 }, name: 'retention', expireAfterSeconds: (KEPT_DAYS + 1) * DAY_SECONDS },
  ],
});
