import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  ApiKeySchema,
  CreateApiKeyRequest,
  CreateApiKeyResponseSchema,
} from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { Permission } from '@fairlead/access/permissions';
import { validationError } from '@fairlead/errors/api-error';
import type { ApiKeyRecord } from '../domain/records.ts';
import type { CreatedApiKey, NewApiKey } from '../use-cases/create-api-key.ts';

/** A key's record. */
export function toApiKey(key: ApiKeyRecord): MessageInitShape<typeof ApiKeySchema> {
  const { maskedKey, scopes, toolsetId, expiresAt, lastUsedAt } = key;
  return {
    id: key.id,
    name: key.name,
    userId: key.userId,
    ...(maskedKey !== null && { maskedKey }),
    ...toRestrictions({ scopes, toolsetId }),
    ...(expiresAt !== null && { expiresAt: timestampFromDate(expiresAt) }),
    ...(lastUsedAt !== null && { lastUsedAt: timestampFromDate(lastUsedAt) }),
    createdAt: timestampFromDate(key.createdAt),
    updatedAt: timestampFromDate(key.updatedAt),
  };
}

/** Encodes the restrictions of a key. */
export function toRestrictions({ scopes, toolsetId }: Pick<ApiKeyRecord, 'scopes' | 'toolsetId'>) {
  return {
    ...(scopes !== null && { scopes: { names: [...scopes] } }),
    ...(toolsetId !== null && { toolsetId }),
  };
}

/** The key to create; an absent expiry or restriction is null. VALIDATION_ERROR for an unknown permission. */
export function fromCreateApiKeyRequest(request: CreateApiKeyRequest): NewApiKey {
  const { name, userId, expiresAt, scopes, toolsetId } = request;
  return {
    name,
    userId,
    expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt),
    scopes: scopes === undefined ? null : scopes.names.map(permissionNamed),
    toolsetId: toolsetId ?? null,
  };
}

function permissionNamed(name: string): Permission {
  const known = PERMISSIONS.find((permission) => permission === name);
  if (known !== undefined) return known;
  throw validationError({ field: 'scopes', issue: `must be permissions: ${name} is not one` });
}

export function toCreateApiKeyResponse({
  record,
  apiKey,
}: CreatedApiKey): MessageInitShape<typeof CreateApiKeyResponseSchema> {
  return { record: toApiKey(record), apiKey: apiKey.reveal() };
}
