import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** Levels of log messages, least severe first (RFC 5424). */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The known facts about the client of a request. */
export interface McpClient {
  /** Whether its version has no handshake (2026-07-28): it can only be sent requests in results. */
  readonly isStateless: boolean;
  /** Whether its version supports links to resources in results (2025-06-18). */
  readonly takesLinks: boolean;
  /** The capabilities that it declared. */
  readonly capabilities: JsonObject;
  /** Lowest level of log messages that it wants; undefined: none. */
  readonly logLevel: LogLevel | undefined;
  /** The client's token for progress notifications, as sent; undefined: it wants none. */
  readonly progressToken: LazyJson | undefined;
  /** Answers that the request brings, requested by an earlier result; undefined: none. */
  readonly inputs?: ToolInputs | undefined;
}

/** Answers to a tool's questions, and the tool's state that is returned with them. */
export interface ToolInputs {
  /** The answers by name, as a JSON object. */
  readonly responses: Uint8Array;
  readonly state: string | undefined;
}

/** Requests that a server may send to its client. */
export type ClientMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** The level of that name; undefined: there is none. */
export function logLevelOf(name: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === name);
}

/** Whether a message of a (valid) level reaches the lowest wanted level; undefined: none is wanted. */
export function isLogged(level: unknown, least: LogLevel | undefined): boolean {
  const known = logLevelOf(level);
  if (known === undefined || least === undefined) return false;
  return LOG_LEVELS.indexOf(known) >= LOG_LEVELS.indexOf(least);
}

/** Whether the client declared that it supports a request. `mode`: of an elicitation. */
export function declares(
  { capabilities }: McpClient,
  method: ClientMethod,
  mode: 'form' | 'url' = 'form',
): boolean {
  switch (method) {
    case 'elicitation/create':
      return declaresElicitation(capabilities['elicitation'], mode);
    case 'sampling/createMessage':
      return isObject(capabilities['sampling']);
    case 'roots/list':
      return isObject(capabilities['roots']);
  }
}

/** An empty object means forms: versions before 2025-11-25 have only forms. */
function declaresElicitation(elicitation: JsonValue | undefined, mode: 'form' | 'url'): boolean {
  if (!isObject(elicitation)) return false;
  return isObject(elicitation[mode]) || (mode === 'form' && !isObject(elicitation['url']));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
