import type { JsonObject } from '@fairlead/connector-model/json';
import type { ExecutionResult } from './execution.ts';

/** A message of a running call for its client. */
export type ClientMessage =
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'request'; readonly key: string; readonly method: string; readonly params: JsonObject };

/** A message, or finally the result. */
export type CallMessage<R = ExecutionResult> =
  ClientMessage | { readonly kind: 'result'; readonly result: R };

/** MCP notifications and requests that are forwarded from a server to the client during a tool call. Source: MCP, schema of 2025-11-25. */
const NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/progress',
  'notifications/message',
  'notifications/elicitation/complete',
]);
const REQUESTS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

export function isClientNotification(method: string): boolean {
  return NOTIFICATIONS.has(method);
}

export function isClientRequest(method: string): boolean {
  return REQUESTS.has(method);
}

/** The notification that an MCP server's tools have changed; it is handled here and not forwarded. */
export const TOOLS_CHANGED = 'notifications/tools/list_changed';
