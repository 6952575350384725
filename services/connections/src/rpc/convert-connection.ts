import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import { KIND_VALUES, nameOfValue } from '@fairlead/connector-model/proto-enums';
import type { ApplicationKind as KindMessage } from '@fairlead/contracts/catalog/v1/application_pb';
import type { ConnectionSchema, LicenceSchema } from '@fairlead/contracts/connections/v1/connection_pb';
import {
  ConnectionStatus as StatusMessage,
  LicenceStatus as LicenceMessage,
} from '@fairlead/contracts/connections/v1/connection_pb';
import type {
  CreateConnectionRequest,
  ImportConnectionRequest,
  ListConnectionsRequest,
  ProviderChoice as ProviderChoiceMessage,
  ReplaceConnectionRequest,
  SetLicenceRequest,
} from '@fairlead/contracts/connections/v1/connection_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { objectOfMembers } from '@fairlead/service-kit/json/json-members';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { readPage } from '@fairlead/service-kit/page';
import { Secret } from '@fairlead/service-kit/secret';
import type { ProviderChoice } from '../domain/oauth-client.ts';
import type {
  Connection,
  ConnectionStatus,
  Licence,
  LicenceStatus,
  ConnectionView,
} from '../domain/connection.ts';
import {
  effectiveLicence,
  shownFields,
  statusChangedAt,
  statusOf,
  statusReason,
} from '../domain/connection.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import type { ConnectionFilter } from '../ports/connection-store.ts';
import type { CreateConnectionCommand } from '../use-cases/create-connection.ts';
import type { ImportConnectionCommand } from '../use-cases/import-connection.ts';
import type { ReplaceConnectionCommand } from '../use-cases/replace-connection.ts';

const STATUSES = {
  Active: StatusMessage.ACTIVE,
  NeedsReauthentication: StatusMessage.NEEDS_REAUTHENTICATION,
  Blocked: StatusMessage.BLOCKED,
} as const satisfies Record<ConnectionStatus, StatusMessage>;

const LICENCES = {
  none: LicenceMessage.NONE,
  active: LicenceMessage.ACTIVE,
  expired: LicenceMessage.EXPIRED,
} as const satisfies Record<LicenceStatus, LicenceMessage>;

/** Encodes a connection with its status at `now`. */
export function toConnection(connection: Connection, now: Date): MessageInitShape<typeof ConnectionSchema> {
  return toListedConnection({ ...connection, shownFields: LazyJson.of(shownFields(connection)) }, now);
}

/** Encodes a connection for a list. */
export function toListedConnection(
  connection: ConnectionView,
  now: Date,
): MessageInitShape<typeof ConnectionSchema> {
  const reason = statusReason(connection, now);
  return {
    id: connection.id,
    connectionName: connection.connectionName,
    ...(connection.description === null ? {} : { description: connection.description }),
    applicationSlug: connection.applicationSlug,
    applicationName: connection.applicationName,
    kind: KIND_VALUES[connection.kind],
    authenticationId: connection.authenticationId,
    authenticationName: connection.authenticationName,
    ...(connection.authProviderId === null ? {} : { authProviderId: connection.authProviderId }),
    ...(connection.endUserId === null ? {} : { endUserId: connection.endUserId }),
    isDefault: connection.isDefault,
    status: toStatus(connection, now),
    ...(reason === null ? {} : { statusReason: reason }),
    statusChangedAt: timestampFromDate(statusChangedAt(connection, now)),
    licence: toLicence(connection, now),
    fieldsJson: connection.shownFields.bytes,
    secretFields: [...connection.secretFields],
    ...((connection.grantedScopes ?? null) === null
      ? {}
      : { grantedScopes: { scopes: [...(connection.grantedScopes ?? [])] } }),
    metadataJson: connection.metadata.bytes,
    ...(connection.lastUsedAt === undefined ? {} : { lastUsedAt: timestampFromDate(connection.lastUsedAt) }),
    createdAt: timestampFromDate(connection.createdAt),
    updatedAt: timestampFromDate(connection.updatedAt),
  };
}

/** A connection's status at `now`. */
export function toStatus(
  connection: Pick<Connection, 'licence' | 'needsReauthentication'>,
  now: Date,
): StatusMessage {
  return STATUSES[statusOf(connection, now)];
}

/** A connection's licence in effect at `now`. */
export function toLicence(
  connection: Pick<Connection, 'licence'>,
  now: Date,
): MessageInitShape<typeof LicenceSchema> {
  const { status, expiresAt } = effectiveLicence(connection.licence, now);
  return {
    status: LICENCES[status],
    ...(expiresAt === null ? {} : { expiresAt: timestampFromDate(expiresAt) }),
  };
}

/** The connection to create; an absent description is null, absent objects are empty, an absent licence is active. */
export function fromCreateRequest(request: CreateConnectionRequest): CreateConnectionCommand {
  return {
    applicationSlug: request.applicationSlug,
    details: fromDetails(request),
    authenticationId: request.authenticationId,
    fields: objectOfMembers(request.fieldsJson, 'fields'),
    oauthState: request.oauthState,
    isTested: request.test,
    provider: fromProviderChoice(request.provider),
    licenceStatus: request.licenceStatus === undefined ? 'active' : fromLicenceStatus(request.licenceStatus),
  };
}

/** The connection to import; absent members are null. */
export function fromImportRequest(request: ImportConnectionRequest): ImportConnectionCommand {
  return {
    applicationSlug: request.applicationSlug,
    connectionName: request.connectionName,
    authenticationId: request.authenticationId,
    provider: fromProviderChoice(request.provider),
    endUserId: request.endUserId ?? null,
    accessToken: new Secret(request.accessToken),
    refreshToken: request.refreshToken === undefined ? null : new Secret(request.refreshToken),
    expiresAt: request.expiresAt === undefined ? null : timestampDate(request.expiresAt),
    licenceStatus: fromLicenceStatus(request.licenceStatus),
    maxConnections: request.maxConnections,
  };
}

/** The status of a licence; VALIDATION_ERROR for an unknown one. */
export function fromLicenceStatus(status: LicenceMessage): LicenceStatus {
  return fromValue(LICENCES, status, 'licenceStatus');
}

/** The replacement; absent fields and an absent sign-in stay absent. */
export function fromReplaceRequest(request: ReplaceConnectionRequest): ReplaceConnectionCommand {
  return {
    id: request.id,
    details: fromDetails(request),
    fields: request.fields && objectOfMembers(request.fields.membersJson, 'fields'),
    oauthState: request.oauthState,
  };
}

function fromDetails(request: CreateConnectionRequest | ReplaceConnectionRequest): ConnectionDetails {
  return {
    connectionName: request.connectionName,
    description: request.description ?? null,
    metadata: LazyJson.object(request.metadataJson, 'metadata'),
  };
}

/** The filter of a list; VALIDATION_ERROR for an unknown kind or status, or a page out of range. */
export function fromListRequest({
  kinds,
  applicationSlug,
  status,
  endUserId,
  page,
}: ListConnectionsRequest): ConnectionFilter {
  return {
    kinds: kinds.map(fromKind),
    applicationSlug,
    status: status === undefined ? undefined : fromValue(STATUSES, status, 'status'),
    endUserId,
    ...readPage(page),
  };
}

/** The licence to set; VALIDATION_ERROR for an unknown status. */
export function fromLicenceRequest({ status, expiresAt }: SetLicenceRequest): Licence {
  return {
    status: fromValue(LICENCES, status, 'status'),
    expiresAt: expiresAt === undefined ? null : timestampDate(expiresAt),
  };
}

/** The OAuth client that the caller asks for. */
export function fromProviderChoice(message: ProviderChoiceMessage | undefined): ProviderChoice {
  switch (message?.choice.case) {
    case undefined:
      return { kind: 'default' };
    case 'connector':
      return { kind: 'connector' };
    case 'providerId':
      return { kind: 'provider', by: { id: message.choice.value } };
    case 'providerName':
      return { kind: 'provider', by: { name: message.choice.value } };
  }
}

function fromKind(kind: KindMessage): ApplicationKind {
  return fromValue(KIND_VALUES, kind, 'kinds');
}

function fromValue<N extends string>(table: Readonly<Record<N, number>>, value: number, field: string): N {
  const name = nameOfValue(table, value);
  if (name === undefined) throw validationError({ field, issue: 'is not one of the accepted values' });
  return name;
}
