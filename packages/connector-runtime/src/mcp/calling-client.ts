import type { JsonObject } from '@fairlead/connector-model/model';
import { isObject } from '../templates.ts';

/** The MCP client that made a call, as far as the MCP server that is called may know it. */
export interface ClientDescription {
  /** The capabilities that it declared. */
  readonly capabilities: JsonObject;
  /** The least level of log messages that it wants; undefined: none. */
  readonly logLevel?: string | undefined;
  readonly wantsProgress: boolean;
  /** It is told of changed resources and lists. */
  readonly wantsChanges?: boolean | undefined;
  /** It takes requests in results that demand input (MCP 2026-07-28). */
  readonly takesInputRequired: boolean;
  /** The answers that came with the call, by the keys of the requests in such a result. */
  readonly inputResponses?: JsonObject | undefined;
  /** The state that came with those requests. */
  readonly requestState?: string | undefined;
}

/** The client of a running call. */
export interface CallingClient extends ClientDescription {
  /** Who calls: only their own calls share a session with the server. Undefined: nobody knows who it is, so the session is not kept. */
  readonly principal: string | undefined;
  /** Sends a notification, which may get lost. */
  notify(method: string, params: JsonObject): void;
  /**
   * Sends a request. Rejects with a ClientError if that is the client's answer, and with any other error if there is none. If `withdrawn`
   * aborts, the server does not want an answer any more, which the client is told.
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

/** The extension of 2026-07-28 by which clients take tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The capabilities that a server is told of, each with the parts that can be passed through. */
const FORWARDED: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form', 'url'],
  sampling: ['context', 'tools'],
  roots: [],
};

/** The capabilities of a client that a server can use through us, in one order: equal ones have equal JSON. */
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
