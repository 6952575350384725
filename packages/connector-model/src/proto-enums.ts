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
import type {
  ApplicationKind,
  FieldType,
  FilterOperator,
  Maturity,
  SortDirection,
  TriggerKind,
} from './model.ts';

/** The protobuf value of each application kind. */
export const KIND_VALUES = {
  Regular: KindMessage.REGULAR,
  Key: KindMessage.KEY,
  OPA: KindMessage.OPA,
  MCPClient: KindMessage.MCP_CLIENT,
} as const satisfies Record<ApplicationKind, KindMessage>;

/** The protobuf value of each maturity. */
export const MATURITY_VALUES = {
  verified: MaturityMessage.VERIFIED,
  generated: MaturityMessage.GENERATED,
} as const satisfies Record<Maturity, MaturityMessage>;

/** The protobuf value of each type of a connection field. */
export const FIELD_TYPE_VALUES = {
  string: FieldTypeMessage.STRING,
  number: FieldTypeMessage.NUMBER,
  boolean: FieldTypeMessage.BOOLEAN,
  select: FieldTypeMessage.SELECT,
  json: FieldTypeMessage.JSON,
} as const satisfies Record<FieldType, FieldTypeMessage>;

/** The protobuf value of each kind of trigger types. */
export const TRIGGER_KIND_VALUES = {
  poll: TriggerKindMessage.POLL,
  schedule: TriggerKindMessage.SCHEDULE,
  webhook: TriggerKindMessage.WEBHOOK,
  system: TriggerKindMessage.SYSTEM,
} as const satisfies Record<TriggerKind, TriggerKindMessage>;

/** The protobuf value of each filter operator. */
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

/** The protobuf value of each sort direction. */
export const DIRECTION_VALUES = {
  asc: DirectionMessage.ASC,
  desc: DirectionMessage.DESC,
} as const satisfies Record<SortDirection, DirectionMessage>;

/** The name of a protobuf value in a table; undefined for a value that it lacks, such as UNSPECIFIED. */
export function nameOfValue<N extends string>(
  table: Readonly<Record<N, number>>,
  value: number,
): N | undefined {
  for (const name in table) if (table[name] === value) return name;
  return undefined;
}
