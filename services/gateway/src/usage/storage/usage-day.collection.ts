import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { KEPT_DAYS } from '@fairlead/service-kit/metering/day';

/** The number of calls of an account on one day. */
export interface UsageDayDocument {
  readonly accountId: string;
  readonly day: string;
  /** The first moment of the day. */
  readonly startsAt: Date;
  readonly callCount: number;
}

const DAY_SECONDS = 24 * 60 * 60;

/** One document per account and day; it expires when usage no longer covers the day. */
export const usageDayCollection = defineCollection<UsageDayDocument>({
  name: 'usage_days',
  indexes: [
    { key: { accountId: 1, day: -1 }, unique: true, name: 'day_of_an_account' },
    { key: { startsAt: 1 }, name: 'retention', expireAfterSeconds: (KEPT_DAYS + 1) * DAY_SECONDS },
  ],
});
