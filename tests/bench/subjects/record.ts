import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import {
  ConnectionSchema,
  ConnectionStatus,
  LicenceStatus,
} from '@fairlead/contracts/connections/v1/connection_pb';
import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import { presentConnection } from '@fairlead/rest-records/connection';

const at = timestampFromDate(new Date('2026-01-02T03:04:05.678Z'));

/** A connection like the one read through the whole stack. */
export const connectionMessage: Connection = create(ConnectionSchema, {
  id: 1,
  connectionName: 'Bench',
  applicationSlug: 'sandbox-crm',
  applicationName: 'Sandbox CRM',
  kind: ApplicationKind.REGULAR,
  authenticationId: 1,
  authenticationName: 'API key',
  isDefault: true,
  status: ConnectionStatus.ACTIVE,
  licence: { status: LicenceStatus.ACTIVE },
  fieldsJson: Buffer.from('{"apiToken":null}'),
  secretFields: ['apiToken'],
  metadataJson: Buffer.from('{}'),
  createdAt: at,
  updatedAt: at,
});

/** The connection in the form that the API returns. */
export const connectionJson = presentConnection(connectionMessage);
