import type { Permission } from '@fairlead/access/permissions';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ApiKeyRecord } from '../domain/records.ts';

/** An API key document; it never contains the key itself. */
export interface ApiKeyDocument extends Omit<ApiKeyRecord, 'id' | 'scopes' | 'toolsetId'> {
  readonly _id: string;
  /** SHA-256 of the key, in hex. */
  readonly hash: string;
  /** Absent in documents created before keys had scopes: null. */
  readonly scopes?: readonly Permission[] | null;
  /** As `scopes`. */
  readonly toolsetId?: string | null;
}

/** API keys, by their `key_` id and, at authentication, by their hash. */
export const apiKeyCollection = defineCollection<ApiKeyDocument>({
  name: 'api_keys',
  indexes: [
    { key: { hash: 1 }, unique: true },
    { key: { accountId: 1, revokedAt: 1, createdAt: -1, _id: -1 } },
    // For exports, which include revoked keys.
    { key: { accountId: 1, createdAt: -1, _id: -1 } },
    {
      key: { accountId: 1, toolsetId: 1 },
      name: 'of_toolset',
      // Covers only texts. A query by equality implies this condition; it would not imply $type.
      partialFilterExpression: { toolsetId: { $gt: '' } },
    },
  ],
});

/** Decodes a document. */
export function toApiKey(document: ApiKeyDocument): ApiKeyRecord {
  const { _id: id, hash: _secret, scopes = null, toolsetId = null, ...key } = document;
  return { id, ...key, scopes, toolsetId };
}

/** Encodes a key with that hash. */
export function apiKeyDocument({ id, ...key }: ApiKeyRecord, hash: string): ApiKeyDocument {
  return { _id: id, ...key, hash };
}
