import type { Document } from 'mongodb';
import { PROVIDER_SLOTS } from '@fairlead/connector-model/model';
import type { SealedCollection, SealedField } from '@fairlead/service-kit/sealing/sealed-fields';
import { authProviderCollection, retiredAuthProviderCollection } from './auth-provider.collection.ts';
import type { AuthProviderDocument, RetiredAuthProviderDocument } from './auth-provider.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { vaultBinding } from './credential-vault.ts';
import type { VaultSlot } from './credential-vault.ts';
import { registeredClientCollection } from './registered-client.collection.ts';
import type { RegisteredClientDocument } from './registered-client.collection.ts';
import { revocationCollection } from './revocation.collection.ts';
import type { RevocationDocument } from './revocation.collection.ts';
import { signInCollection } from './sign-in.collection.ts';
import type { SignInDocument } from './sign-in.collection.ts';

/** The credential of a connection at `prefix` in a document that has the connection's id. */
const credentialFields = <T extends Pick<ConnectionDocument, '_id' | 'accountId'>>(
  prefix: string,
): readonly SealedField<T>[] =>
  (
    [
      ['secrets', 'fields'],
      ['tokens.sealed', 'tokens'],
    ] as const
  ).map(([path, slot]) => ({
    path: `${prefix}.${path}`,
    scopesOf: ({ accountId }) => [accountId],
    bindingOf: ({ _id, accountId }) =>
      vaultBinding({ accountId, collection: 'connections', id: String(_id) }, slot),
  }));

const signInField = (path: string, slot: VaultSlot): SealedField<SignInDocument> => ({
  path,
  scopesOf: ({ accountId }) => [accountId],
  bindingOf: ({ _id, accountId }) => vaultBinding({ accountId, collection: 'sign_ins', id: _id }, slot),
});

const connections: SealedCollection<ConnectionDocument> = {
  definition: connectionCollection,
  members: ['accountId'],
  fields: credentialFields('credential'),
};

const revocations: SealedCollection<RevocationDocument> = {
  definition: revocationCollection,
  members: ['accountId'],
  fields: credentialFields('connection.credential'),
};

const signIns: SealedCollection<SignInDocument> = {
  definition: signInCollection,
  members: ['accountId'],
  fields: [
    signInField('codeVerifier', 'verifier'),
    signInField('given.secret', 'fields'),
    signInField('outcome.tokens.sealed', 'tokens'),
  ],
};

const providerFields = (
  collection: 'auth_providers' | 'retired_auth_providers',
): readonly SealedField<AuthProviderDocument>[] =>
  PROVIDER_SLOTS.map((slot) => ({
    path: `secrets.${slot}`,
    scopesOf: ({ accountId }) => [accountId],
    bindingOf: ({ _id, accountId }) => vaultBinding({ accountId, collection, id: String(_id) }, slot),
  }));

const authProviders: SealedCollection<AuthProviderDocument> = {
  definition: authProviderCollection,
  members: ['accountId'],
  fields: providerFields('auth_providers'),
};

const retiredAuthProviders: SealedCollection<RetiredAuthProviderDocument> = {
  definition: retiredAuthProviderCollection,
  members: ['accountId'],
  fields: providerFields('retired_auth_providers'),
};

const registeredClients: SealedCollection<RegisteredClientDocument> = {
  definition: registeredClientCollection,
  members: ['accountId'],
  fields: [
    {
      path: 'secret',
      scopesOf: ({ accountId }) => [accountId],
      bindingOf: ({ _id, accountId }) =>
        vaultBinding({ accountId, collection: 'registered_clients', id: _id }, 'clientSecret'),
    },
  ],
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [
  connections,
  revocations,
  signIns,
  authProviders,
  retiredAuthProviders,
  registeredClients,
];
