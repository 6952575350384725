import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  ApiKeySchema,
  CreateApiKeyRequest,
  CreateApiKeyResponseSchema,
} from '@fairlead/contracts/identity/v1/api_key_service_pb';
import type { ApiKeyRecord } from '../domain/records.ts';
import type { CreatedApiKey, NewApiKey } from '../use-cases/create-api-key.ts';

/** A key's record. */
export function toApiKey(key: ApiKeyRecord): MessageInitShape<typeof ApiKeySchema> {
  const { maskedKey, expiresAt, lastUsedAt } = key;
  return {
    id: key.id,
    name: key.name,
    userId: key.userId,
    ...(maskedKey !== null && { maskedKey }),
    ...(expiresAt !== null && { expiresAt: timestampFromDate(expiresAt) }),
    ...(lastUsedAt !== null && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    createdAt: timestampFromDate(key.createdAt),
    updatedAt: timestampFromDate(key.updatedAt),
  };
}

/** The key to create; an absent expiry is null. */
export function fromCreateApiKeyRequest({ name, userId, expiresAt }: CreateApiKeyRequest): NewApiKey {
  return { name, userId, expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt) };
}

/** A created key. */
export function toCreateApiKeyResponse({
  record,
  apiKey,
}: CreatedApiKey): MessageInitShape<typeof CreateApiKeyResponseSchema> {
  return { record: toApiKey(record), apiKey: apiKey.reveal() };
}
