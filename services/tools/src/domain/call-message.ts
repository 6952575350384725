import type { JsonObject } from '@fairlead/connector-model/model';
import type { ExecutionResult } from './execution.ts';

/** A message of a running call for its client. */
export type ClientMessage =
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'request'; readonly key: string; readonly method: string; readonly params: JsonObject };

/** The same, or the result, which comes last. */
export type CallMessage<R = ExecutionResult> =
  ClientMessage | { readonly kind: 'result'; readonly result: R };

/** The notifications and requests that a client may get from an MCP server while a tool runs. Source: MCP, schema of 2025-11-25. */
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

/** The notification of an MCP server whose tools have changed, which is for the catalogue. */
export const TOOLS_CHANGED = 'notifications/tools/list_changed';
