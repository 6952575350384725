import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { ProviderSlot } from '@fairlead/connector-model/model';
import type { Sealed } from '@fairlead/service-kit/sealing/sealed-value';
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
