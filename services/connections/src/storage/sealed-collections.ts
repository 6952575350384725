import type { Document } from 'mongodb';
import { PROVIDER_SLOTS } from '@fairlead/connector-model/enumerations';
import type { CollectionDefinition } from '@fairlead/service-kit/mongo/collection';
import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import { authProviderCollection, retiredAuthProviderCollection } from './auth-provider.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import { recordOf, vaultBinding } from './credential-vault.ts';
import type { VaultRecord, VaultSlot } from './credential-vault.ts';
import { registeredClientCollection } from './registered-client.collection.ts';
import { revocationCollection } from './revocation.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

/** A collection with sealed values at these paths, each bound to a slot of the record of `place` that has the document's id. */
function sealed<T extends { readonly _id: string | number; readonly accountId: string }>(
  definition: CollectionDefinition<T>,
  place: VaultRecord['collection'],
  slots: Readonly<Record<string, VaultSlot>>,
): SealedCollection<T> {
  const fields = Object.entries(slots).map(([path, slot]) => ({
    path,
    scopesOf: ({ accountId }: T) => [accountId],
    bindingOf: ({ _id, accountId }: T) => vaultBinding(recordOf(place, accountId, _id), slot),
  }));
  return { definition, members: ['accountId'], fields };
}

const providerSlots = Object.fromEntries(PROVIDER_SLOTS.map((slot) => [`secrets.${slot}`, slot] as const));

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [
  sealed(connectionCollection, 'connections', {
    'credential.secrets': 'fields',
    'credential.tokens.sealed': 'tokens',
  }),
  // A revocation contains a connection, and has the connection's id.
  sealed(revocationCollection, 'connections', {
    'connection.credential.secrets': 'fields',
    'connection.credential.tokens.sealed': 'tokens',
  }),
  sealed(signInCollection, 'sign_ins', {
    codeVerifier: 'verifier',
    'given.secret': 'fields',
    'outcome.tokens.sealed': 'tokens',
  }),
  sealed(authProviderCollection, 'auth_providers', providerSlots),
  sealed(retiredAuthProviderCollection, 'retired_auth_providers', providerSlots),
  sealed(registeredClientCollection, 'registered_clients', { secret: 'clientSecret' }),
];
