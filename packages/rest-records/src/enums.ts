import { nameOfValue } from '@fairlead/connector-model/proto-enums';
import { ConnectionStatus, LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { DisabledReason } from '@fairlead/contracts/delivery/v1/destination_pb';
import { AttemptState, EventDelivery } from '@fairlead/contracts/delivery/v1/event_pb';
import { ConnectionResolution, ExecutionSource } from '@fairlead/contracts/tools/v1/execution_pb';
import { OnError } from '@fairlead/contracts/tools/v1/workflow_pb';

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

/** REST names of the sources of calls. */
export const SOURCES = {
  rest: ExecutionSource.REST,
  mcp: ExecutionSource.MCP,
  workflow: ExecutionSource.WORKFLOW,
} as const;

/** REST names of the rules for a failed step of a workflow. */
export const ON_ERROR = {
  stop: OnError.STOP,
  continue: OnError.CONTINUE,
  retry: OnError.RETRY,
} as const;

/** REST names of the reasons for disabling a destination. */
export const DISABLED_REASONS = {
  consecutive_failures: DisabledReason.CONSECUTIVE_FAILURES,
  owner: DisabledReason.OWNER,
} as const;

/** REST names of an event's delivery states. */
export const EVENT_DELIVERIES = {
  pending: EventDelivery.PENDING,
  dead_lettered: EventDelivery.DEAD_LETTERED,
  held: EventDelivery.HELD,
  delivered: EventDelivery.DELIVERED,
  none: EventDelivery.NONE,
} as const;

/** REST names of the states of an attempt. */
export const ATTEMPT_STATES = {
  pending: AttemptState.PENDING,
  delivered: AttemptState.DELIVERED,
  failed: AttemptState.FAILED,
  dead_lettered: AttemptState.DEAD_LETTERED,
} as const;

/** The names in a table of this file or of connector-model, for `z.enum`. */
export function namesOf<N extends string>(table: Readonly<Record<N, number>>): [N, ...N[]] {
  // Object.keys loses the literal types; the tables are closed and not empty.
  return Object.keys(table) as [N, ...N[]];
}

/**
 * The REST name of an enum's value. Throws for a value outside of the table: services return a new value only in the
 * release after its declaration (docs/adr/0018-expand-at-start-contract-by-command.md).
 */
export function nameOf<N extends string>(table: Readonly<Record<N, number>>, value: number): N {
  const name = nameOfValue(table, value);
  if (name !== undefined) return name;
  throw new Error(`No REST name for the enum value ${value}; known: ${Object.keys(table).join(', ')}.`);
}
