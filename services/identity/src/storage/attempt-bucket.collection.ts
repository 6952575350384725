import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A bucket document: attempts of one kind from one source. The bucket drains steadily. */
export interface AttemptBucketDocument {
  /** `<kind>:<five hexadecimal digits>`, so a flood creates at most about a million per kind. */
  readonly _id: string;
  /** Time at which the bucket will be empty; MongoDB then deletes the document. */
  readonly emptyAt: Date;
}

/** Attempts to sign in and to guess codes. */
export const attemptBucketCollection = defineCollection<AttemptBucketDocument>({
  name: 'oauth_attempts',
  indexes: [{ key: { emptyAt: 1 }, expireAfterSeconds: 0 }],
});
