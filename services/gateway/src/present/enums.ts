import { ApplicationKind, FieldType, Maturity } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectionStatus, LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { ConnectionResolution } from '@fairlead/contracts/tools/v1/execution_pb';
import { FilterOperator, SortDirection } from '@fairlead/contracts/tools/v1/execution_service_pb';

/** REST names of application kinds. */
export const KINDS = {
  Regular: ApplicationKind.REGULAR,
  Key: ApplicationKind.KEY,
  OPA: ApplicationKind.OPA,
  MCPClient: ApplicationKind.MCP_CLIENT,
} as const;

/** REST names of maturities. */
export const MATURITIES = { verified: Maturity.VERIFIED, generated: Maturity.GENERATED } as const;

/** REST names of the types of connection fields. */
export const FIELD_TYPES = {
  string: FieldType.STRING,
  number: FieldType.NUMBER,
  boolean: FieldType.BOOLEAN,
  select: FieldType.SELECT,
  json: FieldType.JSON,
} as const;

/** REST names of connection statuses. */
export const CONNECTION_STATUSES = {
  Active: ConnectionStatus.ACTIVE,
  NeedsReauthentication: ConnectionStatus.NEEDS_REAUTHENTICATION,
  Blocked: ConnectionStatus.BLOCKED,
} as const;

/** REST names of licence statuses. */
export const LICENCE_STATUSES = {
  none: LicenceStatus.NONE,
  active: LicenceStatus.ACTIVE,
  expired: LicenceStatus.EXPIRED,
} as const;

/** REST names of the rules that choose a connection. */
export const RESOLUTIONS = {
  explicit: ConnectionResolution.EXPLICIT,
  toolset: ConnectionResolution.TOOLSET,
  endUser: ConnectionResolution.END_USER,
  default: ConnectionResolution.DEFAULT,
  none: ConnectionResolution.NONE,
} as const;

/** REST names of filter operators. */
export const FILTER_OPERATORS = {
  eq: FilterOperator.EQ,
  ne: FilterOperator.NE,
  gt: FilterOperator.GT,
  gte: FilterOperator.GTE,
  lt: FilterOperator.LT,
  lte: FilterOperator.LTE,
  in: FilterOperator.IN,
  contains: FilterOperator.CONTAINS,
  startsWith: FilterOperator.STARTS_WITH,
  isNull: FilterOperator.IS_NULL,
} as const;

/** REST names of sort directions. */
export const SORT_DIRECTIONS = { asc: SortDirection.ASC, desc: SortDirection.DESC } as const;

/** The names of a table of this file, for `z.enum`. */
export function namesOf<N extends string>(table: Readonly<Record<N, number>>): [N, ...N[]] {
  // Object.keys forgets the names; the tables above are closed and not empty.
  return Object.keys(table) as [N, ...N[]];
}

/** The REST name of an enum's value. Throws for a value that the table lacks: the service is newer than the gateway. */
export function nameOf<N extends string>(table: Readonly<Record<N, number>>, value: number): N {
  for (const name of namesOf(table)) if (table[name] === value) return name;
  throw new Error(`No REST name for the enum value ${value}; known: ${Object.keys(table).join(', ')}.`);
}
