import { defineCollection } from '@fairlead/service-kit/mongo/mongo';

/** One window of one budget of one account. */
export interface RateWindowDocument {
  /** `<accountId>/<budget>/<start in ISO 8601>`: everything of an account is one range. */
  readonly _id: string;
  /** Calls that replicas took, spent or not. */
  readonly used: number;
  /** What the last exchange granted. */
  readonly granted: number;
  readonly expiresAt: Date;
}

/** Windows of rate budgets; they go by themselves once they are over. */
export const rateWindowCollection = defineCollection<RateWindowDocument>({
  name: 'rate_windows',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
