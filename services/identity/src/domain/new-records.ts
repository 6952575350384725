import type { Secret } from '@fairlead/service-kit/secret';
import { maskApiKey } from '@fairlead/access/api-key';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { DEFAULT_MAX_CONNECTIONS_PER_END_USER } from '@fairlead/access/end-user-limit';
import type { Account, AccountChange, ApiKeyRecord, User } from './records.ts';

/** The record of an account created at `now`. A setting that is left out has its default. */
export function newAccount(
  id: string,
  name: string,
  now: Date,
  settings: Omit<AccountChange, 'name'> = {},
): Account {
  return {
    id,
    name,
    isRbacEnabled: settings.isRbacEnabled ?? false,
    defaultLicence: settings.defaultLicence ?? 'active',
    maxConnectionsPerEndUser: settings.maxConnectionsPerEndUser ?? DEFAULT_MAX_CONNECTIONS_PER_END_USER,
    budgets: { ...DEFAULT_BUDGETS, ...settings.budgets },
    erasingAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** A user to create; the default of its name is the part of the e-mail before the @. */
export interface UserDraft extends Pick<User, 'accountId' | 'email' | 'role' | 'isActive'> {
  readonly name?: string | undefined;
}

/** The record of a user created at `now`. */
export function newUser(id: string, draft: UserDraft, now: Date): User {
  const [name = draft.email] = draft.email.split('@');
  return { id, ...draft, name: draft.name ?? name, createdAt: now, updatedAt: now };
}

/** The record of the key `apiKey` created at `now`. */
export function newKeyRecord(
  id: string,
  apiKey: Secret,
  {
    now,
    scopes = null,
    toolsetId = null,
    ...key
  }: Pick<ApiKeyRecord, 'accountId' | 'userId' | 'name' | 'expiresAt'> &
    Partial<Pick<ApiKeyRecord, 'scopes' | 'toolsetId'>> & { readonly now: Date },
): ApiKeyRecord {
  return {
    id,
    ...key,
    scopes,
    toolsetId,
    maskedKey: maskApiKey(apiKey),
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
