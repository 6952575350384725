import type { Document } from 'mongodb';
import type { SealedCollection, SealedField } from '@fairlead/service-kit/sealing/sealed-fields';
import { connectionCollection } from './connection.collection.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { vaultBinding } from './credential-vault.ts';
import type { VaultSlot } from './credential-vault.ts';
import { signInCollection } from './sign-in.collection.ts';
import type { SignInDocument } from './sign-in.collection.ts';

const connectionField = (path: string, slot: VaultSlot): SealedField<ConnectionDocument> => ({
  path,
  scopesOf: ({ accountId }) => [accountId],
  bindingOf: ({ _id, accountId }) =>
    vaultBinding({ accountId, collection: 'connections', id: String(_id) }, slot),
});

const signInField = (path: string, slot: VaultSlot): SealedField<SignInDocument> => ({
  path,
  scopesOf: ({ accountId }) => [accountId],
  bindingOf: ({ _id, accountId }) => vaultBinding({ accountId, collection: 'sign_ins', id: _id }, slot),
});

const connections: SealedCollection<ConnectionDocument> = {
  definition: connectionCollection,
  members: ['accountId'],
  fields: [
    connectionField('credential.secrets', 'fields'),
    connectionField('credential.tokens.sealed', 'tokens'),
  ],
};

const signIns: SealedCollection<SignInDocument> = {
  definition: signInCollection,
  members: ['accountId'],
  fields: [signInField('codeVerifier', 'verifier'), signInField('outcome.tokens.sealed', 'tokens')],
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [connections, signIns];
