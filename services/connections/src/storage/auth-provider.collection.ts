import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ProviderSlot } from '@fairlead/connector-model/enumerations';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { REVOKED_WITHIN_MS } from '../domain/revocation.ts';
import type { AuthProvider } from '../domain/auth-provider.ts';

/** An auth provider document. Undeclared members are those of AuthProvider. */
export interface AuthProviderDocument extends Omit<AuthProvider, 'id' | 'secretSlots'> {
  /** The auth provider id. */
  readonly _id: number;
  /** By slot. */
  readonly secrets: Readonly<Partial<Record<ProviderSlot, SealedValue>>>;
  /** Incremented by each connection created with it, so that a concurrent deletion conflicts. */
  readonly useCount: number;
}

/** A deleted provider whose grants are still being revoked. */
export interface RetiredAuthProviderDocument extends AuthProviderDocument {
  readonly retiredAt: Date;
}

/** Longer than revoking a grant is retried. */
export const retiredAuthProviderCollection = defineCollection<RetiredAuthProviderDocument>({
  name: 'retired_auth_providers',
  indexes: [
    { key: { accountId: 1 }, name: 'of_an_account' },
    { key: { retiredAt: 1 }, name: 'clear_away', expireAfterSeconds: (2 * REVOKED_WITHIN_MS) / 1000 },
  ],
});

/** The index that makes names unique. */
export const NAME_INDEX = 'one_name_an_account';

/** Lists use the first two indexes; the others make names, and the default of a method, unique. */
export const authProviderCollection = defineCollection<AuthProviderDocument>({
  name: 'auth_providers',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    {
      key: { accountId: 1, isEnabled: 1, createdAt: -1, _id: -1, applicationSlug: 1, authenticationId: 1 },
      name: 'usable',
    },
    { key: { accountId: 1, name: 1 }, name: NAME_INDEX, unique: true },
    {
      key: { accountId: 1, applicationSlug: 1, authenticationId: 1 },
      name: 'one_default_a_method',
      unique: true,
      partialFilterExpression: { isDefault: true },
    },
  ],
});
