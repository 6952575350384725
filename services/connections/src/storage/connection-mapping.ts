import type { JsonObject } from '@fairlead/connector-model/model';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { nextRenewal } from '../domain/renewal.ts';
import { shownFields } from '../domain/connection.ts';
import type { Connection, FieldOptions, ListedConnection } from '../domain/connection.ts';
import type { NewConnection, NewCredential } from '../ports/connection-store.ts';
import { listingOf } from './connection-listing.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';

/** A connection without its sealed values. */
export function toConnection({ fields, fieldOptions, ...document }: ConnectionDocument): Connection {
  return {
    ...membersOf(document),
    // Written as text of exactly these types, by this service alone.
    fields: JSON.parse(fields) as JsonObject,
    fieldOptions: JSON.parse(fieldOptions) as FieldOptions,
  };
}

/** The same, as a list shows it. Nothing of it is parsed. */
export function toListedConnection({
  fields,
  fieldOptions: _options,
  ...document
}: ConnectionDocument): ListedConnection {
  return { ...membersOf(document), shownFields: shownText(fields, document.secretFields) };
}

/** shownFields of fields that are JSON text, which it does not parse. */
export function shownText(fields: string, secretFields: readonly string[]): LazyJson {
  // An earlier release of the connector may have had it as a plain one.
  const isPlain = (name: string): boolean => fields.includes(`${JSON.stringify(name)}:`);
  if (secretFields.some(isPlain))
    return LazyJson.of(shownFields({ fields: JSON.parse(fields) as JsonObject, secretFields }));
  const secret = secretFields.map((name) => `${JSON.stringify(name)}:null`).join();
  const comma = secret === '' || fields === '{}' ? '' : ',';
  return new LazyJson(Buffer.from(`${fields.slice(0, -1)}${comma}${secret}}`));
}

function membersOf(
  document: Omit<ConnectionDocument, 'fields' | 'fieldOptions'>,
): Omit<Connection, 'fields' | 'fieldOptions'> {
  const {
    _id,
    credential,
    metadata,
    endUserId,
    isEndUserDefault,
    listedStatus: _listed,
    blocksAt: _until,
    ...same
  } = document;
  return {
    ...same,
    id: _id,
    endUserId: endUserId ?? null,
    grantedScopes: same.grantedScopes ?? null,
    isDefault: same.isDefault || isEndUserDefault === true,
    metadata: new LazyJson(Buffer.from(metadata)),
    credentialVersion: credential.version,
    credentialRevision: credential.revision ?? 0,
    addressRevision: credential.addressRevision ?? null,
  };
}

/** The document of a new connection, its secrets sealed. */
export async function toDocument(
  vault: CredentialVault,
  connection: NewConnection,
): Promise<ConnectionDocument> {
  const { id, credential, metadata, endUserId, ...same } = connection;
  const sealed = await sealCredential(vault, connection.accountId, id, credential);
  return {
    ...same,
    ...sealed.shown,
    ...listingOf(connection, connection.createdAt),
    _id: id,
    ...(endUserId !== null && { endUserId }),
    isDefault: false,
    metadata: metadata.text,
    secretFields: Object.keys(credential.fields.secret),
    credential: {
      version: 1,
      revision: 1,
      addressRevision: credential.addressRevision,
      secrets: sealed.secrets ?? null,
      tokens: sealed.tokens ?? null,
      lease: null,
      renewal: renewalOf(connection, credential, connection.createdAt),
    },
    updatedAt: connection.createdAt,
  };
}

/** When a connection with that new credential is renewed though nobody uses it; null: it has no refresh token. */
export function renewalOf(
  { id, grant, applicationSlug }: Pick<Connection, 'id' | 'grant' | 'applicationSlug'>,
  { tokens, vendor = applicationSlug }: Pick<NewCredential, 'tokens' | 'vendor'>,
  now: Date,
): Due | null {
  const isRenewable = tokens !== null && tokens !== 'keep' && tokens.refreshToken !== null;
  return isRenewable && grant === 'authorizationCode'
    ? { lane: vendor, at: nextRenewal(id, now), claim: null }
    : null;
}

/** A credential as it is stored: readable values and sealed ones. `secrets` and `tokens` undefined: they stay. */
export async function sealCredential(
  vault: CredentialVault,
  accountId: string,
  id: number,
  given: NewCredential,
) {
  const record = recordOf('connections', accountId, id);
  const { tokens } = given;
  return {
    shown: {
      authProviderId: given.authProviderId,
      ...(given.server === undefined ? {} : { server: given.server }),
      ...(given.grantedScopes === undefined ? {} : { grantedScopes: given.grantedScopes }),
      fields: JSON.stringify(given.fields.plain),
      fieldOptions: JSON.stringify(given.fieldOptions),
      ...(tokens === 'keep' ? {} : { secretFields: Object.keys(given.fields.secret) }),
    },
    secrets: tokens === 'keep' ? undefined : await vault.sealFields(record, given.fields.secret),
    tokens: tokens === 'keep' ? undefined : tokens && (await vault.sealTokens(record, tokens)),
  };
}
