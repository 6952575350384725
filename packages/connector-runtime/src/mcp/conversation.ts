import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { isObject } from '../templates.ts';
import { ClientError, forwardedCapabilities } from './calling-client.ts';
import type { CallingClient } from './calling-client.ts';

/** The client capability that each kind of server request requires. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);
/** Log levels, the lowest severity first. Source: MCP, "Logging". */
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
/** Source: JSON-RPC 2.0, section 5.1. */
const INTERNAL_ERROR = -32_603;
const NO_ANSWER = 'The client did not answer a request of the MCP server.';

let lastToken = 0;

/** The messages between an MCP server and the calling client during one call. */
export class Conversation {
  /** The progress token of the call. */
  readonly progressToken: number;
  readonly #client: Omit<CallingClient, 'principal'>;
  readonly #capabilities: JsonObject;

  constructor(client: Omit<CallingClient, 'principal'>) {
    this.#client = client;
    this.#capabilities = forwardedCapabilities(client.capabilities);
    this.progressToken = lastToken += 1;
  }

  /** Passes a notification on, if the client wants its kind. */
  notify(method: string, params: JsonObject): void {
    switch (method) {
      case 'notifications/progress': {
        const { progressToken, ...progress } = params;
        if (this.#client.wantsProgress && progressToken === this.progressToken)
          this.#client.notify(method, progress);
        return;
      }
      case 'notifications/message':
        if (this.#wantsLevel(params['level'])) this.#client.notify(method, params);
        return;
      case 'notifications/tasks':
        this.#client.notify(method, params);
        return;
      case 'notifications/elicitation/complete':
        if ('elicitation' in this.#capabilities) this.#client.notify(method, params);
        return;
      case 'notifications/resources/updated':
      case 'notifications/resources/list_changed':
      case 'notifications/prompts/list_changed':
      case 'notifications/tools/list_changed':
        if (this.#client.wantsChanges === true) this.#client.notify(method, params);
    }
  }

  /** Whether the client's capabilities include requests of this kind. */
  answers(method: string): boolean {
    return (CAPABILITIES.get(method) ?? '') in this.#capabilities;
  }

  /**
   * The client's answer to a request that the server may withdraw, as `result` or `error` of a JSON-RPC response.
   * Never rejects.
   */
  async answer(method: string, params: JsonObject, withdrawn?: AbortSignal): Promise<JsonObject> {
    try {
      return { result: await this.#client.request(method, params, withdrawn) };
    } catch (error) {
      if (!(error instanceof ClientError)) return { error: { code: INTERNAL_ERROR, message: NO_ANSWER } };
      const { code, message, data } = error;
      return { error: { code, message, ...(data !== undefined && { data }) } };
    }
  }

  /** The client's answer to a request in a result. Throws CallFailure if there is no answer, or if it is an error. */
  async fulfil(method: string, params: JsonObject): Promise<JsonObject> {
    return await this.#client.request(method, params).catch((cause: unknown) => {
      throw new CallFailure(
        cause instanceof ClientError
          ? `The client refused a request of the MCP server: ${cause.message}`
          : NO_ANSWER,
        { cause },
      );
    });
  }

  #wantsLevel(level: Json | undefined): boolean {
    const severity = (name: Json): number => LOG_LEVELS.findIndex((known) => known === name);
    const least = severity(this.#client.logLevel ?? '');
    return least >= 0 && severity(level ?? '') >= least;
  }
}

/** Name of the `_meta` member with the task that a message belongs to. Source: MCP 2025-11-25, "Tasks". */
const RELATED_TASK_KEY = 'io.modelcontextprotocol/related-task';

/** A message's parameters; an empty object if it has none. */
export function paramsOf(message: JsonObject): JsonObject {
  const params = message['params'];
  return isObject(params) ? withoutRelatedTask(params) : {};
}

/** Parameters or a result without the id of the server's task, which the client does not know. */
export function withoutRelatedTask(members: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = members;
  if (!isObject(meta) || !(RELATED_TASK_KEY in meta)) return members;
  const { [RELATED_TASK_KEY]: _task, ...own } = meta;
  return Object.keys(own).length === 0 ? rest : { ...rest, _meta: own };
}
