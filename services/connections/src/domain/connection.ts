import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectionDetails } from './details.ts';
import type { DiscoveredServer } from './mcp-sign-in.ts';
import type { McpToolsRead } from './mcp-tools-read.ts';

/** The status that the account set, before its expiry is considered. */
export type LicenceStatus = 'none' | 'active' | 'expired';

/** Whether a connection is permitted to run tools. `expiresAt` null: it does not expire. */
export interface Licence {
  readonly status: LicenceStatus;
  readonly expiresAt: Date | null;
}

/** All statuses of a connection. */
export const CONNECTION_STATUSES = ['Active', 'NeedsReauthentication', 'Blocked'] as const;

/** Whether a connection can be used; if not, why. */
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/**
 * Where the credential of a connection comes from: its fields, a person's sign-in, or tokens issued to the client itself (by its own
 * credentials, or for an assertion that it signs).
 */
export type CredentialGrant = 'fields' | 'authorizationCode' | 'clientCredentials';

/** By field name, value -> label, as the vendor listed them at sign-in. */
export type FieldOptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * An account's access to one application. Contains no secret. Members are stored under their own names, so a member added later is
 * optional: documents of earlier releases lack it.
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
  /** The auth provider whose OAuth client is used; 0: the connector's own client; null: a client in the fields, or none. */
  readonly authProviderId: number | null;
  /** The last reading of an MCP server's tools; absent for other connections, and before the first reading. */
  readonly mcpTools?: McpToolsRead;
  /** The authorization server that signed in the person at an MCP server; absent or null for other connections. */
  readonly server?: DiscoveredServer | null;
  /** The end user who owns it; null: the account itself. */
  readonly endUserId: string | null;
  /** Creation id of the on-prem agent that it belongs to; absent: it belongs to no agent. */
  readonly agentCreationId?: string;
  /** Whether it is the default of its application; at most one of each end user's connections is, and one of the account's own. */
  readonly isDefault: boolean;
  readonly grant: CredentialGrant;
  /** The scopes that the vendor last said it granted, or else the requested ones; null or absent: unknown, or none. */
  readonly grantedScopes?: readonly string[] | null;
  /**
   * Scopes that calls lacked; each re-authentication requests them. Absent: none. They are kept, because every sign-in must name all wanted
   * scopes.
   */
  readonly neededScopes?: readonly string[];
  /** Whether the vendor refused the grant permanently; then only new credentials help. */
  readonly needsReauthentication: boolean;
  /** The vendor's text for that refusal, without secrets; null: no refusal. */
  readonly refusalReason?: string | null;
  /** When the status last changed, other than by the expiry of the licence; undefined: never. */
  readonly statusChangedAt?: Date;
  /** Time of last use, accurate to a minute; absent: never used. */
  readonly lastUsedAt?: Date;
  readonly licence: Licence;
  /** Values that are not secret, by field. */
  readonly fields: JsonObject;
  /** Names of the secret fields with a value. */
  readonly secretFields: readonly string[];
  /** Valid choices of a sign-in method's fields; empty for other methods. */
  readonly fieldOptions: FieldOptions;
  /** Increases with every refresh and replacement of the credential; from 1. */
  readonly credentialVersion: number;
  /** Increases with every replacement of the credential by a person; from 1. 0: stored before this member existed. */
  readonly credentialRevision: number;
  /**
   * `addressRevision` of its auth provider when the credential was entered or granted; null: the provider had none, or no provider is used.
   */
  readonly addressRevision: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A connection for display: its fields as unparsed JSON, secret ones null. */
export type ConnectionView = Omit<Connection, 'fields' | 'fieldOptions'> & {
  readonly shownFields: LazyJson;
};

/** Thrown by a write for one version of a credential that finds another version. */
export class CredentialChanged extends ApiError {
  constructor() {
    super('UNAVAILABLE', 'The connection was changed at the same time. Try again.');
  }
}

/** Throws NOT_FOUND for the connection of an on-prem agent, which is only managed together with its agent. */
export function refuseAgentConnection({ kind }: Pick<Connection, 'kind'>): void {
  if (kind === 'OPA') throw notFound('connection');
}

/** Throws VALIDATION_ERROR for an on-prem application: agents are created with a token, not by a connection. */
export function refuseAgentApplication({ kind, name }: Pick<ConnectorHead, 'kind' | 'name'>): void {
  if (kind !== 'OPA') return;
  throw validationError({
    field: 'applicationSlug',
    issue: `names ${name}, whose agents are created by /v1/on-prem-agents`,
  });
}

/** How connections of `method` get their credential. */
export function grantOf(method: AuthenticationMethod): CredentialGrant {
  if (method.scheme.type !== 'oauth2') return 'fields';
  return method.scheme.grant === 'authorizationCode' ? 'authorizationCode' : 'clientCredentials';
}

/** The members that a new connection gets from its application, its method and its initial licence. */
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

/** The reason for a connection's status at `now`, for people; null for an active one. */
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

/** When the connection's status at `now` began; its creation if the status never changed. */
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

/** When the status of `present` began; `present` replaced `former` at `now`. */
export function statusChangeOf(
  former: Connection,
  present: Pick<Connection, 'licence' | 'needsReauthentication'>,
  now: Date,
): Date {
  return statusOf(former, now) === statusOf(present, now) ? statusChangedAt(former, now) : now;
}

/** The fields for display: secret ones are null. */
export function shownFields(connection: Pick<Connection, 'fields' | 'secretFields'>): JsonObject {
  const fields: Record<string, Json> = { ...connection.fields };
  for (const name of connection.secretFields) fields[name] = null;
  return fields;
}

/** The NO_DEFAULT_CONNECTION error, for the end user or for the account itself. */
export function noDefault(applicationSlug: string, endUserId: string | undefined): ApiError {
  return new ApiError(
    'NO_DEFAULT_CONNECTION',
    endUserId === undefined
      ? `There is no default connection for ${applicationSlug}. Pass connectionId, or set a default.`
      : `The end user has no connection to ${applicationSlug}. Open a connect session for them.`,
  );
}
