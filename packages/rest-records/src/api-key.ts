import type { ApiKey, CreateApiKeyResponse } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { permission } from './principal.ts';
import { presentOptionalTime, presentTime, required } from './values.ts';

const members = {
  id: z.string(),
  name: z.string(),
  userId: z.string().describe('The user that the key acts as.'),
  maskedKey: z
    .string()
    .nullable()
    .describe(
      'The beginning of the key, to recognise it by; null for a key that was created before this was stored.',
    ),
  scopes: z
    .array(permission)
    .nullable()
    .describe('The permissions that the key keeps of its user’s; null: all of them.'),
  toolsetId: z.string().nullable().describe('The toolset that the key is confined to; null: none.'),
  expiresAt: timestamp.nullable().describe('Null: it does not expire.'),
  lastUsedAt: timestamp.nullable().describe('Accurate to about a minute. Null: never used.'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

/** An API key as it can be read. */
export const apiKeyRecord = z.strictObject(members).meta({ id: 'ApiKey' });

/** An API key as its creation returns it. */
export const createdApiKeyRecord = z
  .strictObject({ ...members, apiKey: z.string().describe('The key itself; it cannot be read again.') })
  .meta({ id: 'CreatedApiKey' });

/** An API key, without the key. */
export function presentApiKey(key: ApiKey): z.output<typeof apiKeyRecord> {
  return {
    id: key.id,
    name: key.name,
    userId: key.userId,
    maskedKey: key.maskedKey ?? null,
    scopes: key.scopes ? z.array(permission).parse(key.scopes.names) : null,
    toolsetId: key.toolsetId ?? null,
    expiresAt: presentOptionalTime(key.expiresAt),
    lastUsedAt: presentOptionalTime(key.lastUsedAt),
    createdAt: presentTime(key.createdAt),
    updatedAt: presentTime(key.updatedAt),
  };
}

export function presentCreatedApiKey({
  record,
  apiKey,
}: CreateApiKeyResponse): z.output<typeof createdApiKeyRecord> {
  return { ...presentApiKey(required(record)), apiKey };
}
