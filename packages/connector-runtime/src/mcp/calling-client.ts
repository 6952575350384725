import type { JsonObject } from '@fairlead/connector-model/json';
import { isObject } from '../templates.ts';

/** The properties of the calling MCP client that are passed to the called MCP server. */
export interface ClientDescription {
  /** Capabilities that the client declared. */
  readonly capabilities: JsonObject;
  /** Lowest level of log messages that the client wants; undefined: none. */
  readonly logLevel?: string | undefined;
  readonly wantsProgress: boolean;
  /** Whether the client gets notifications of changed resources and lists. */
  readonly wantsChanges?: boolean | undefined;
  /** Whether the client accepts results that ask for input (MCP 2026-07-28). */
  readonly takesInputRequired: boolean;
  /** The client's answers to an earlier result that asked for input, by the keys of its requests. */
  readonly inputResponses?: JsonObject | undefined;
  /** The request state that the server sent with that result. */
  readonly requestState?: string | undefined;
}

/** The client of a running call. */
export interface CallingClient extends ClientDescription {
  /**
   * The principal that calls. Only calls of one principal share a session with the server. Undefined: unknown, so the
   * session is not kept.
   */
  readonly principal: string | undefined;
  /** Sends a notification, without guaranteed delivery. */
  notify(method: string, params: JsonObject): void;
  /**
   * Sends a request to the client. Rejects with a ClientError if the client answers with an error, and with any other
   * error if there is no answer. If `withdrawn` aborts, the server no longer wants an answer, and the client is
   * notified.
   */
  request(method: string, params: JsonObject, withdrawn?: AbortSignal): Promise<JsonObject>;
}

/** A client answered a request with this JSON-RPC error. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: number;
  readonly data: JsonObject[string] | undefined;

  constructor(code: number, message: string, data?: JsonObject[string]) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The MCP extension (2026-07-28) with which clients accept tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The capabilities that are passed to servers, each with its parts that can be passed on. */
const FORWARDED: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['context', 'tools'],
  roots: [],
};

/** The client's capabilities that can be passed on, in a fixed order, so that equal capabilities have equal JSON. */
export function forwardedCapabilities(capabilities: JsonObject): Record<string, JsonObject> {
  const forwarded: Record<string, JsonObject> = {};
  for (const [name, parts] of Object.entries(FORWARDED)) {
    const declared = capabilities[name];
    if (!isObject(declared)) continue;
    forwarded[name] = Object.fromEntries(
      parts.filter((part) => isObject(declared[part])).map((part) => [part, {}]),
    );
  }
  const { extensions } = capabilities;
  if (isObject(extensions) && isObject(extensions[TASKS_EXTENSION]))
    forwarded['extensions'] = { [TASKS_EXTENSION]: {} };
  return forwarded;
}
