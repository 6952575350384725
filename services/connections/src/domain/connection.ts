import type { AuthenticationMethod, ConnectorHead, Json, JsonObject } from '@fairlead/connector-model/model';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectionDetails } from './details.ts';
import type { DiscoveredServer } from './mcp-sign-in.ts';
import type { McpToolsRead } from './mcp-tools-read.ts';

/** The status that the account set, before its expiry is considered. */
export type LicenceStatus = 'none' | 'active' | 'expired';

/** A connection's permission to run tools. `expiresAt` null: it does not expire. */
export interface Licence {
  readonly status: LicenceStatus;
  readonly expiresAt: Date | null;
}

/** Every status of a connection. */
export const CONNECTION_STATUSES = ['Active', 'NeedsReauthentication', 'Blocked'] as const;

/** Whether a connection can be used, and if not, why. */
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/**
 * Where the credential of a connection comes from: its fields alone, a person's sign-in, or tokens issued to the client
 * itself (by its own credentials, or for an assertion that it signs).
 */
export type CredentialGrant = 'fields' | 'authorizationCode' | 'clientCredentials';

/** By field name, value -> label, as the vendor listed them at the sign-in. */
export type FieldOptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * An account's access to one application. Holds no secret. Every member is stored under its own name, so a
 * member added later is optional: documents that an earlier release wrote lack it.
 */
export interface Connection extends ConnectionDetails {
  /** From 1, int32; one sequence for all accounts. */
  readonly id: number;
  readonly accountId: string;
  readonly applicationSlug: string;
  readonly applicationName: string;
  readonly kind: ApplicationKind;
  readonly authenticationId: number;
  readonly authenticationName: string;
  /** The auth provider whose OAuth client the credential belongs to: 0 the connector's own client, null the one in the fields, or none. */
  readonly authProviderId: number | null;
  /** The last reading of an MCP server's tools; absent for other connections, and until they are read once more. */
  readonly mcpTools?: McpToolsRead;
  /** The authorization server of an MCP server that was signed in at; absent or null for any other connection. */
  readonly server?: DiscoveredServer | null;
  /** The customer of the account's product who owns it; null: the account's own. */
  readonly endUserId: string | null;
  /** The creation of the on-prem agent whose connection it is; absent: it is no agent's. */
  readonly agentCreationId?: string;
  /** Whether it is the default of its application; of the connections of an end user, and of the account's own, at most one is. */
  readonly isDefault: boolean;
  readonly grant: CredentialGrant;
  /** The scopes that the vendor last said it granted, or else the requested ones; null or absent: not known, or none. */
  readonly grantedScopes?: readonly string[] | null;
  /** Scopes that calls lacked and a re-authentication asks for; absent: none. They stay, as each sign-in has to name all that it wants. */
  readonly neededScopes?: readonly string[];
  /** The vendor refused the grant permanently; only new credentials help. */
  readonly needsReauthentication: boolean;
  /** The vendor's text for that refusal, for people, without secrets; null: it refused nothing. */
  readonly refusalReason?: string | null;
  /** When the status last changed, except by the expiry of the licence; undefined: it never did. */
  readonly statusChangedAt?: Date;
  /** A use within the last minute; absent: it was never used. */
  readonly lastUsedAt?: Date;
  readonly licence: Licence;
  /** The values that are not secret. */
  readonly fields: JsonObject;
  /** Names of the secret fields that hold a value. */
  readonly secretFields: readonly string[];
  /** The valid choices of a sign-in method's fields; empty for other methods. */
  readonly fieldOptions: FieldOptions;
  /** Grows with every refresh and replacement of the credential; from 1. */
  readonly credentialVersion: number;
  /** Grows with every replacement of the credential by a person; from 1. 0: it was stored before it had this member. */
  readonly credentialRevision: number;
  /** `addressRevision` of its auth provider when the credential was entered or granted; null: the provider had none, or there is none. */
  readonly addressRevision: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A connection as it is shown: its fields unparsed, secret ones null. */
export type ListedConnection = Omit<Connection, 'fields' | 'fieldOptions'> & {
  readonly shownFields: LazyJson;
};

/** A write that was made for one version of a credential found another one. */
export class CredentialChanged extends ApiError {
  constructor() {
    super('UNAVAILABLE', 'The connection was changed at the same time. Try again.');
  }
}

/** Throws NOT_FOUND for the connection of an on-prem agent, which is managed with its agent only. */
export function refuseAgentConnection({ kind }: Pick<Connection, 'kind'>): void {
  if (kind === 'OPA') throw notFound('connection');
}

/** Throws VALIDATION_ERROR for an application of on-prem agents: each is provisioned with a token, and is no connection here. */
export function refuseAgentApplication({ kind, name }: Pick<ConnectorHead, 'kind' | 'name'>): void {
  if (kind !== 'OPA') return;
  throw validationError({
    field: 'applicationSlug',
    issue: `names ${name}, whose agents are created by /v1/on-prem-agents`,
  });
}

/** The grant that connections of `method` use. */
export function grantOf(method: AuthenticationMethod): CredentialGrant {
  if (method.scheme.type !== 'oauth2') return 'fields';
  return method.scheme.grant === 'authorizationCode' ? 'authorizationCode' : 'clientCredentials';
}

/** The members that a new connection gets from its application, its method and the licence that it starts with. */
export function newMembers(
  head: Pick<ConnectorHead, 'slug' | 'name' | 'kind'>,
  method: AuthenticationMethod,
  licenceStatus: LicenceStatus,
) {
  return {
    applicationSlug: head.slug,
    applicationName: head.name,
    kind: head.kind,
    authenticationId: method.authenticationId,
    authenticationName: method.authenticationName,
    grant: grantOf(method),
    needsReauthentication: false,
    licence: { status: licenceStatus, expiresAt: null },
  };
}

/** The licence in effect at `now`: an active one past its expiry is expired. */
export function effectiveLicence(licence: Licence, now: Date): Licence {
  const isOver = licence.expiresAt !== null && licence.expiresAt.getTime() <= now.getTime();
  return licence.status === 'active' && isOver ? { ...licence, status: 'expired' } : licence;
}

/** A connection's status at `now`. A missing licence outweighs a refused grant: signing in again would not help. */
export function statusOf(
  connection: Pick<Connection, 'licence' | 'needsReauthentication'>,
  now: Date,
): ConnectionStatus {
  if (effectiveLicence(connection.licence, now).status !== 'active') return 'Blocked';
  return connection.needsReauthentication ? 'NeedsReauthentication' : 'Active';
}

/** Why a connection has its status at `now`, for people; null for an active one. */
export function statusReason(
  connection: Pick<Connection, 'licence' | 'needsReauthentication' | 'refusalReason'>,
  now: Date,
): string | null {
  switch (statusOf(connection, now)) {
    case 'Active':
      return null;
    case 'NeedsReauthentication':
      return connection.refusalReason ?? 'The vendor refused the grant.';
    case 'Blocked':
      return effectiveLicence(connection.licence, now).status === 'expired'
        ? 'The licence has expired.'
        : 'The connection has no licence.';
  }
}

/** When a connection got the status that it has at `now`; its creation if that is its first one. */
export function statusChangedAt(
  {
    licence,
    createdAt,
    statusChangedAt: writtenAt = createdAt,
  }: Pick<Connection, 'licence' | 'createdAt' | 'statusChangedAt'>,
  now: Date,
): Date {
  const { status, expiresAt } = licence;
  const hasRunOut = status === 'active' && expiresAt !== null && expiresAt <= now;
  return hasRunOut && expiresAt > writtenAt ? expiresAt : writtenAt;
}

/** When `present`, written at `now` in the place of `former`, got its status. */
export function statusChangeOf(
  former: Connection,
  present: Pick<Connection, 'licence' | 'needsReauthentication'>,
  now: Date,
): Date {
  return statusOf(former, now) === statusOf(present, now) ? statusChangedAt(former, now) : now;
}

/** The fields as a caller may see them: secret ones are null. */
export function shownFields(connection: Pick<Connection, 'fields' | 'secretFields'>): JsonObject {
  const shown: Record<string, Json> = { ...connection.fields };
  for (const name of connection.secretFields) shown[name] = null;
  return shown;
}

/** NO_DEFAULT_CONNECTION, of the end user or of the account itself. */
export function noDefault(applicationSlug: string, endUserId: string | undefined): ApiError {
  return new ApiError(
    'NO_DEFAULT_CONNECTION',
    endUserId === undefined
      ? `There is no default connection for ${applicationSlug}. Pass connectionId, or set a default.`
      : `The end user has no connection to ${applicationSlug}. Open a connect session for them.`,
  );
}
