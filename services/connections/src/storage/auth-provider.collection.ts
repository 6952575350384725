import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ProviderSlot } from '@fairlead/connector-model/enumerations';
import type { Sealed } from '@fairlead/sealing/sealed-value';
import { REVOKED_WITHIN_MS } from '../domain/revocation.ts';
import type { AuthProvider } from '../domain/auth-provider.ts';

/** One auth provider. Members that are not declared here are stored as they are. */
export interface AuthProviderDocument extends Omit<AuthProvider, 'id' | 'secretSlots'> {
  /** The auth provider id. */
  readonly _id: number;
  /** By slot. */
  readonly secrets: Readonly<Partial<Record<ProviderSlot, Sealed>>>;
  /** Grows with each connection that is created with it, so that a deletion at the same time conflicts. */
  readonly useCount: number;
}

/** A provider that was deleted while grants through it were to be revoked. */
export interface RetiredAuthProviderDocument extends AuthProviderDocument {
  readonly retiredAt: Date;
}

/** Longer than a vendor is asked to revoke a grant. */
export const retiredAuthProviderCollection = defineCollection<RetiredAuthProviderDocument>({
  name: 'retired_auth_providers',
  indexes: [
    { key: { accountId: 1 }, name: 'of_an_account' },
    { key: { retiredAt: 1 }, name: 'clear_away', expireAfterSeconds: (2 * REVOKED_WITHIN_MS) / 1000 },
  ],
});

/** Name of the index that prevents two providers of one name. */
export const NAME_INDEX = 'one_name_an_account';

/** Lists read the first two indexes; the others keep a name, and the default of a method, unique. */
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
