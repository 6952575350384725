import { KIND_VALUES } from '@fairlead/connector-model/proto-enums';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { Connection, Licence } from '@fairlead/contracts/connections/v1/connection_pb';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { kindName } from './application.ts';
import { CONNECTION_STATUSES, LICENCE_STATUSES, nameOf, namesOf } from './enums.ts';
import { presentOptionalTime, presentTime } from './values.ts';

export const licenceStatus = z.enum(namesOf(LICENCE_STATUSES)).meta({ id: 'LicenceStatus' });

const licence = z
  .strictObject({ status: licenceStatus, expiresAt: timestamp.nullable() })
  .describe(
    'A connection without an active licence is Blocked. A licence whose expiresAt has passed is shown as expired.',
  )
  .meta({ id: 'Licence' });

/** A connection as every route returns it. */
export const connectionRecord = z
  .strictObject({
    id: z.int32(),
    connectionName: z.string(),
    description: z.string().nullable(),
    applicationSlug: z.string(),
    applicationName: z.string(),
    kind: kindName,
    authenticationId: z.int32(),
    authenticationName: z.string(),
    authProviderId: z
      .int32()
      .nullable()
      .describe('0: the connector’s own OAuth client; null: no auth provider is used.'),
    endUserId: z.string().nullable(),
    isDefault: z.boolean().describe('Tools of the application use it if the call names no connection.'),
    status: z.enum(namesOf(CONNECTION_STATUSES)),
    statusReason: z.string().nullable().describe('Why the status is not Active, for people.'),
    statusChangedAt: timestamp.describe('When the connection got its status.'),
    licence,
    fields: lazyObject.describe('Values by field name; secret ones are null.'),
    secretFields: z.array(z.string()).describe('Names of the secret fields that hold a value.'),
    metadata: lazyObject,
    grantedScopes: z
      .array(z.string())
      .nullable()
      .describe('The scopes that the vendor granted; null if the method has none, or they are not known.'),
    lastUsedAt: timestamp
      .nullable()
      .describe('When a tool or a test last used it, at most a minute late; null before the first use.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Connection' });

export function presentConnection(connection: Connection): z.output<typeof connectionRecord> {
  return {
    id: connection.id,
    connectionName: connection.connectionName,
    description: connection.description ?? null,
    applicationSlug: connection.applicationSlug,
    applicationName: connection.applicationName,
    kind: nameOf(KIND_VALUES, connection.kind),
    authenticationId: connection.authenticationId,
    authenticationName: connection.authenticationName,
    authProviderId: connection.authProviderId ?? null,
    endUserId: connection.endUserId ?? null,
    isDefault: connection.isDefault,
    status: nameOf(CONNECTION_STATUSES, connection.status),
    statusReason: connection.statusReason ?? null,
    statusChangedAt: presentTime(connection.statusChangedAt ?? connection.createdAt),
    licence: presentLicence(connection.licence),
    fields: LazyJson.object(connection.fieldsJson),
    secretFields: connection.secretFields,
    metadata: LazyJson.object(connection.metadataJson),
    grantedScopes: connection.grantedScopes?.scopes ?? null,
    lastUsedAt: presentOptionalTime(connection.lastUsedAt),
    createdAt: presentTime(connection.createdAt),
    updatedAt: presentTime(connection.updatedAt),
  };
}

function presentLicence(value: Licence | undefined): z.output<typeof licence> {
  return {
    status: nameOf(LICENCE_STATUSES, value?.status ?? LicenceStatus.NONE),
    expiresAt: presentOptionalTime(value?.expiresAt),
  };
}
