import type { JsonObject } from '@fairlead/connector-model/model';
import type { Connection, FieldOptions } from '../domain/connection.ts';
import type { NewConnection, NewCredential } from '../ports/connection-store.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import type { CredentialVault } from './credential-vault.ts';

/** A connection without what is sealed. */
export function toConnection(document: ConnectionDocument): Connection {
  return {
    id: document._id,
    accountId: document.accountId,
    connectionName: document.connectionName,
    description: document.description,
    applicationSlug: document.applicationSlug,
    applicationName: document.applicationName,
    kind: document.kind,
    authenticationId: document.authenticationId,
    authenticationName: document.authenticationName,
    authProviderId: document.authProviderId,
    isDefault: document.isDefault,
    grant: document.grant,
    needsReauthentication: document.needsReauthentication,
    licence: document.licence,
    // Written as text of exactly these types, by this service alone.
    fields: JSON.parse(document.fields) as JsonObject,
    fieldOptions: JSON.parse(document.fieldOptions) as FieldOptions,
    metadata: JSON.parse(document.metadata) as JsonObject,
    secretFields: document.secretFields,
    credentialVersion: document.credential.version,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

/** The document of a new connection, its secrets sealed. */
export async function toDocument(
  vault: CredentialVault,
  connection: NewConnection,
): Promise<ConnectionDocument> {
  const { credential } = connection;
  const sealed = await sealCredential(vault, connection.accountId, connection.id, credential);
  return {
    _id: connection.id,
    accountId: connection.accountId,
    connectionName: connection.connectionName,
    description: connection.description,
    applicationSlug: connection.applicationSlug,
    applicationName: connection.applicationName,
    kind: connection.kind,
    authenticationId: connection.authenticationId,
    authenticationName: connection.authenticationName,
    isDefault: false,
    grant: connection.grant,
    needsReauthentication: connection.needsReauthentication,
    licence: { ...connection.licence },
    metadata: JSON.stringify(connection.metadata),
    ...sealed.shown,
    credential: { version: 1, secrets: sealed.secrets, tokens: sealed.tokens ?? null, lease: null },
    createdAt: connection.createdAt,
    updatedAt: connection.createdAt,
  };
}

/** A credential as it is stored: what may be read, and what is sealed. `tokens` undefined: they stay as they are. */
export async function sealCredential(
  vault: CredentialVault,
  accountId: string,
  id: number,
  given: NewCredential,
) {
  const record = { accountId, collection: 'connections', id: String(id) } as const;
  const { tokens } = given;
  return {
    shown: {
      authProviderId: given.authProviderId,
      fields: JSON.stringify(given.fields.plain),
      fieldOptions: JSON.stringify(given.fieldOptions),
      secretFields: Object.keys(given.fields.secret),
    },
    secrets: await vault.sealFields(record, given.fields.secret),
    tokens: tokens === 'keep' ? undefined : tokens && (await vault.sealTokens(record, tokens)),
  };
}
