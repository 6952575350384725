import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** The levels of log messages, the least severe first (RFC 5424). */
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

/** The client that sent a request, as far as it is known. */
export interface McpClient {
  /** Whether its version has no handshake (2026-07-28): it is asked in results, and in no other way. */
  readonly isStateless: boolean;
  /** Whether its version has links to resources in results (2025-06-18). */
  readonly takesLinks: boolean;
  /** The capabilities that it declared. */
  readonly capabilities: JsonObject;
  /** The least level of log messages that it wants; undefined: it wants none. */
  readonly logLevel: LogLevel | undefined;
  /** The token that names the request in notifications of progress, as it was sent; undefined: it wants none. */
  readonly progressToken: LazyJson | undefined;
  /** Answers that the request brings from an earlier result which asked for them; undefined: none. */
  readonly inputs?: ToolInputs | undefined;
}

/** Answers to the questions of a tool, and the state that came with those. */
export interface ToolInputs {
  /** The answers by their names: JSON of an object. */
  readonly responses: Uint8Array;
  readonly state: string | undefined;
}

/** Requests that a server may make of its client. */
export type ClientMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** The level of that name; undefined: there is none. */
export function logLevelOf(name: unknown): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === name);
}

/** Whether a message of a level, which is one of the protocol, reaches the least level that is wanted; undefined: none is. */
export function isLogged(level: unknown, least: LogLevel | undefined): boolean {
  const known = logLevelOf(level);
  if (known === undefined || least === undefined) return false;
  return LOG_LEVELS.indexOf(known) >= LOG_LEVELS.indexOf(least);
}

/** Whether the client declared that it can answer a request. `mode` is that of an elicitation. */
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

/** An empty object means forms: versions before 2025-11-25 have no other mode. */
function declaresElicitation(elicitation: JsonValue | undefined, mode: 'form' | 'url'): boolean {
  if (!isObject(elicitation)) return false;
  return isObject(elicitation[mode]) || (mode === 'form' && !isObject(elicitation['url']));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
