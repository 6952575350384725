import { defineCollection } from '@fairlead/service-kit/mongo';

/** An API key as it is stored: never the key itself. */
export interface ApiKeyDocument {
  readonly _id: string;
  readonly accountId: string;
  /** The owner; the key acts as this user. */
  readonly userId: string;
  readonly name: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** API keys, by their `key_` id and, at authentication, by their hash. */
export const apiKeyCollection = defineCollection<ApiKeyDocument>({
  name: 'api_keys',
  indexes: [{ key: { hash: 1 }, unique: true }, { key: { accountId: 1, createdAt: -1, _id: -1 } }],
});
