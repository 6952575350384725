import {
  ApplicationKind as KindMessage,
  FieldType as FieldTypeMessage,
  Maturity as MaturityMessage,
} from '@fairlead/contracts/catalog/v1/application_pb';
import {
  FilterOperator as OperatorMessage,
  SortDirection as DirectionMessage,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { TriggerKind as TriggerKindMessage } from '@fairlead/contracts/catalog/v1/trigger_type_pb';
import type { FieldType, Maturity } from './model.ts';
import type { ApplicationKind, FilterOperator, SortDirection, TriggerKind } from './enumerations.ts';

/** Protobuf values of application kinds. */
export const KIND_VALUES = {
  Regular: KindMessage.REGULAR,
  Key: KindMessage.KEY,
  OPA: KindMessage.OPA,
  MCPClient: KindMessage.MCP_CLIENT,
} as const satisfies Record<ApplicationKind, KindMessage>;

/** Protobuf values of maturities. */
export const MATURITY_VALUES = {
  verified: MaturityMessage.VERIFIED,
  generated: MaturityMessage.GENERATED,
} as const satisfies Record<Maturity, MaturityMessage>;

/** Protobuf values of connection field types. */
export const FIELD_TYPE_VALUES = {
  string: FieldTypeMessage.STRING,
  number: FieldTypeMessage.NUMBER,
  boolean: FieldTypeMessage.BOOLEAN,
  select: FieldTypeMessage.SELECT,
  json: FieldTypeMessage.JSON,
} as const satisfies Record<FieldType, FieldTypeMessage>;

/** Protobuf values of trigger type kinds. */
export const TRIGGER_KIND_VALUES = {
  poll: TriggerKindMessage.POLL,
  schedule: TriggerKindMessage.SCHEDULE,
  webhook: TriggerKindMessage.WEBHOOK,
  system: TriggerKindMessage.SYSTEM,
} as const satisfies Record<TriggerKind, TriggerKindMessage>;

/** Protobuf values of filter operators. */
export const OPERATOR_VALUES = {
  eq: OperatorMessage.EQ,
  ne: OperatorMessage.NE,
  gt: OperatorMessage.GT,
  gte: OperatorMessage.GTE,
  lt: OperatorMessage.LT,
  lte: OperatorMessage.LTE,
  in: OperatorMessage.IN,
  contains: OperatorMessage.CONTAINS,
  startsWith: OperatorMessage.STARTS_WITH,
  isNull: OperatorMessage.IS_NULL,
} as const satisfies Record<FilterOperator, OperatorMessage>;

/** Protobuf values of sort directions. */
export const DIRECTION_VALUES = {
  asc: DirectionMessage.ASC,
  desc: DirectionMessage.DESC,
} as const satisfies Record<SortDirection, DirectionMessage>;

/** The name of a protobuf value in a table; undefined for values without a name, such as UNSPECIFIED. */
export function nameOfValue<N extends string>(
  table: Readonly<Record<N, number>>,
  value: number,
): N | undefined {
  for (const name in table) if (table[name] === value) return name;
  return undefined;
}
