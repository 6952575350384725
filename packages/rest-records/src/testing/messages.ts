import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  ApplicationKind,
  ApplicationSchema,
  FieldType,
  Maturity,
} from '@fairlead/contracts/catalog/v1/application_pb';
import type { Application } from '@fairlead/contracts/catalog/v1/application_pb';
import { ToolSchema } from '@fairlead/contracts/catalog/v1/tool_pb';
import type { Tool } from '@fairlead/contracts/catalog/v1/tool_pb';
import { TriggerKind, TriggerTypeSchema } from '@fairlead/contracts/catalog/v1/trigger_type_pb';
import type { TriggerType } from '@fairlead/contracts/catalog/v1/trigger_type_pb';
import {
  ConnectionSchema,
  ConnectionStatus,
  LicenceStatus,
} from '@fairlead/contracts/connections/v1/connection_pb';
import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import {
  ConnectionResolution,
  ExecutionInfoSchema,
  ExecutionSource,
} from '@fairlead/contracts/tools/v1/execution_pb';
import type { ExecutionInfo } from '@fairlead/contracts/tools/v1/execution_pb';

/** The creation time of every record of a test, as responses show it. */
export const MADE_AT = '2026-01-02T03:04:05.006Z';

const AT = timestampFromDate(new Date(MADE_AT));

/** A connection of the sandbox CRM as the connections service returns it, with the given members replaced. */
export function connectionMessage(
  o: { readonly id?: number; readonly kind?: ApplicationKind } = {},
): Connection {
  return create(ConnectionSchema, {
    id: 1,
    kind: ApplicationKind.REGULAR,
    connectionName: 'CRM',
    applicationSlug: 'sandbox-crm',
    applicationName: 'Sandbox CRM',
    authenticationId: 1,
    authenticationName: 'API key',
    isDefault: true,
    status: ConnectionStatus.ACTIVE,
    licence: { status: LicenceStatus.ACTIVE },
    fieldsJson: Buffer.from('{"apiToken":null}'),
    metadataJson: Buffer.from('{}'),
    secretFields: ['apiToken'],
    createdAt: AT,
    updatedAt: AT,
    ...o,
  });
}

/** The sandbox CRM as the catalog returns it for a search. */
export function applicationMessage(): Application {
  return create(ApplicationSchema, {
    slug: 'sandbox-crm',
    name: 'Sandbox CRM',
    kind: ApplicationKind.REGULAR,
    maturity: Maturity.VERIFIED,
    isAvailable: true,
    toolCount: 3,
    score: 0.5,
    createdAt: AT,
    updatedAt: AT,
    authenticationMethods: [
      {
        authenticationId: 1,
        authenticationName: 'API key',
        isDefault: true,
        fields: [
          {
            name: 'size',
            type: FieldType.NUMBER,
            defaultValueJson: Buffer.from('5'),
            options: [{ value: 'a', label: 'A' }],
          },
          {
            name: 'apiToken',
            type: FieldType.STRING,
            isRequired: true,
            isPassword: true,
            providerSlot: 'Key1',
          },
        ],
      },
    ],
  });
}

/** A tool of the sandbox CRM as the catalog returns it for a search. */
export function toolMessage(): Tool {
  return create(ToolSchema, {
    toolSlug: 'sandbox-crm-create-contact',
    toolName: 'Create contact',
    applicationSlug: 'sandbox-crm',
    inputSchemaJson: Buffer.from('{"type":"object"}'),
    outputSchemaJson: Buffer.from('{}'),
    score: 1,
    createdAt: AT,
    updatedAt: AT,
  });
}

/** The outcome of an execution by the default connection, as the tools service returns it. */
export function executionInfoMessage(): ExecutionInfo {
  return create(ExecutionInfoSchema, {
    startedAt: AT,
    durationMs: 12,
    connectionId: 4,
    connectionResolution: ConnectionResolution.DEFAULT,
    applicationSlug: 'sandbox-crm',
    toolSlug: 'sandbox-crm-list-contacts',
    toolVersion: '1.0.0',
    attempts: 1,
    userId: 'usr_1',
    source: ExecutionSource.MCP,
    mcpServerName: 'Support',
  });
}

/** The trigger type `schedule` as the catalog returns it for a search. */
export function triggerTypeMessage(): TriggerType {
  return create(TriggerTypeSchema, {
    slug: 'schedule',
    name: 'Schedule',
    description: 'Fires.',
    applicationSlug: 'schedule',
    kind: TriggerKind.SCHEDULE,
    configSchemaJson: Buffer.from('{"type":"object"}'),
    payloadSchemaJson: Buffer.from('{}'),
    score: 0.5,
    createdAt: AT,
    updatedAt: AT,
  });
}
