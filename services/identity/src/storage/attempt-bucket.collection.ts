import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** Attempts of one kind from one source as they are stored: a bucket that empties steadily. */
export interface AttemptBucketDocument {
  /** `<kind>:<five hexadecimal digits>`, so a flood creates at most about a million per kind. */
  readonly _id: string;
  /** When the bucket will be empty. MongoDB deletes the document then. */
  readonly emptyAt: Date;
}

/** Attempts to sign in and to guess codes. */
export const attemptBucketCollection = defineCollection<AttemptBucketDocument>({
  name: 'oauth_attempts',
  indexes: [{ key: { emptyAt: 1 }, expireAfterSeconds: 0 }],
});
