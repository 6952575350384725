import type { JsonObject } from '@fairlead/connector-model/json';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { nextRenewal } from '../domain/renewal.ts';
import { shownFields } from '../domain/connection.ts';
import type { Connection, FieldOptions, ConnectionView } from '../domain/connection.ts';
import type { NewConnection, NewCredential } from '../ports/connection-store.ts';
import { listingOf } from './connection-listing.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';

/** Decodes a connection, without its sealed values. */
export function toConnection({ fields, fieldOptions, ...document }: ConnectionDocument): Connection {
  return {
    ...membersOf(document),
    // Only this service writes these texts, with exactly these types.
    fields: JSON.parse(fields) as JsonObject,
    fieldOptions: JSON.parse(fieldOptions) as FieldOptions,
  };
}

/** Decodes a connection for a list, without parsing its JSON. */
export function toListedConnection({
  fields,
  fieldOptions: _options,
  ...document
}: ConnectionDocument): ConnectionView {
  return { ...membersOf(document), shownFields: shownText(fields, document.secretFields) };
}

/** Like shownFields, for fields in JSON text, which is not parsed. */
export function shownText(fields: string, secretFields: readonly string[]): LazyJson {
  // An earlier release of the connector may have stored it as a plain field.
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

/** Encodes a new connection and seals its secrets. */
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

/** When a connection with this new credential is renewed if unused; null: it has no refresh token. */
export function renewalOf(
  { id, grant, applicationSlug }: Pick<Connection, 'id' | 'grant' | 'applicationSlug'>,
  { tokens, vendor = applicationSlug }: Pick<NewCredential, 'tokens' | 'vendor'>,
  now: Date,
): DueState | null {
  const isRenewable = tokens !== null && tokens !== 'keep' && tokens.refreshToken !== null;
  return isRenewable && grant === 'authorizationCode'
    ? { lane: vendor, at: nextRenewal(id, now), claim: null }
    : null;
}

/** Encodes a credential: plain and sealed values. `secrets` or `tokens` undefined: unchanged. */
export async function sealCredential(
  vault: CredentialVault,
  accountId: string,
  id: number,
  input: NewCredential,
) {
  const record = recordOf('connections', accountId, id);
  const { tokens } = input;
  return {
    shown: {
      authProviderId: input.authProviderId,
      ...(input.server === undefined ? {} : { server: input.server }),
      ...(input.grantedScopes === undefined ? {} : { grantedScopes: input.grantedScopes }),
      fields: JSON.stringify(input.fields.plain),
      fieldOptions: JSON.stringify(input.fieldOptions),
      ...(tokens === 'keep' ? {} : { secretFields: Object.keys(input.fields.secret) }),
    },
    secrets: tokens === 'keep' ? undefined : await vault.sealFields(record, input.fields.secret),
    tokens: tokens === 'keep' ? undefined : tokens && (await vault.sealTokens(record, tokens)),
  };
}
