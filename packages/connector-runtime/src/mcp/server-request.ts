import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isInputRequiredResult, LOG_LEVEL_META_KEY, ProtocolError } from '@modelcontextprotocol/client';
import { isArray, isObject } from '../templates.ts';
import type { ClientDescription } from './calling-client.ts';
import type { McpSession } from './session.ts';

/** Maximum number of items of each list, bytes of one item, and bytes of all lists together. */
const MAX_ITEMS = 1_000;
const MAX_ITEM_BYTES = 64 * 1024;
const MAX_LIST_BYTES = 1024 * 1024;
const MAX_PAGES = 100;
const MAX_NAME_LENGTH = 2_000;
const METHOD_NOT_FOUND = -32_601;

/** A request, and the client that it is sent for; undefined: none. */
interface ServerRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly client: ClientDescription | undefined;
}

/** Sends one request. Returns `{result}`, which may ask for input, or `{error}` with the server's JSON-RPC error. */
export async function sendServerRequest(
  session: McpSession,
  { method, params, client }: ServerRequest,
): Promise<JsonObject> {
  try {
    const sent = { ...params, ...clientParams(session, client) };
    const options = client?.takesInputRequired ? { allowInputRequired: true } : undefined;
    const result = await requestResult(session, method, sent, options);
    return { result: isInputRequiredResult(result) ? result : withoutEra(result) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message } = error;
    // The SDK parsed this from JSON.
    const data = error.data as Json | undefined;
    return { error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** Reads all lists of prompts and resources, up to the limits (McpRequest). */
export async function readServerLists(session: McpSession): Promise<JsonObject> {
  const { prompts, resources, completions } = session.client.getServerCapabilities() ?? {};
  let bytes = 0;

  async function read(method: string, member: string, name: string): Promise<readonly JsonObject[]> {
    const items: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const result = await requestList(session, method, cursor);
      const itemList = result[member];
      for (const item of itemList !== undefined && isArray(itemList) ? itemList : []) {
        if (!isObject(item) || !isName(item[name])) continue;
        const size = Buffer.byteLength(JSON.stringify(item));
        if (size > MAX_ITEM_BYTES) continue;
        if (items.length === MAX_ITEMS || bytes + size > MAX_LIST_BYTES) return items;
        bytes += size;
        items.push(item);
      }
      const { nextCursor } = result;
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return items;
      cursor = nextCursor;
    }
    return items;
  }

  const none: readonly JsonObject[] = [];
  return {
    hasPrompts: prompts !== undefined,
    hasResources: resources !== undefined,
    hasCompletions: completions !== undefined,
    hasSubscriptions: resources?.subscribe === true,
    prompts: prompts === undefined ? none : await read('prompts/list', 'prompts', 'name'),
    resources: resources === undefined ? none : await read('resources/list', 'resources', 'uri'),
    resourceTemplates:
      resources === undefined
        ? none
        : await read('resources/templates/list', 'resourceTemplates', 'uriTemplate'),
  };
}

/** One page of a list; empty if the server does not support the list. */
async function requestList(
  session: McpSession,
  method: string,
  cursor: string | undefined,
): Promise<JsonObject> {
  try {
    return await requestResult(session, method, cursor === undefined ? {} : { cursor });
  } catch (error) {
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return {};
    throw error;
  }
}

/** Accepts any result unchanged. The SDK's own schemas drop unknown members. */
const anyObject = {
  '~standard': {
    version: 1,
    vendor: 'fairlead',
    validate: (value: unknown) =>
      // The SDK parsed this from JSON.
      isObject(value as Json) ? { value: value as JsonObject } : { issues: [{ message: 'is no object' }] },
  },
} as const;

/** The unchanged result of a request. */
async function requestResult(
  { client, options }: McpSession,
  method: string,
  params: JsonObject,
  o: { readonly allowInputRequired?: boolean } = {},
): Promise<JsonObject> {
  const sent = { method, params: { ...params } };
  // The type follows from `anyObject`, but the SDK does not infer it.
  return (await client.request(sent, anyObject, { ...options, ...o })) as JsonObject;
}

/** The members of a request's params that contain information about its client. */
export function clientParams(
  { client: session, conversation }: McpSession,
  client: ClientDescription | undefined,
): JsonObject {
  const isModern = session.getProtocolEra() === 'modern';
  const meta = {
    ...(client?.wantsProgress && conversation && { progressToken: conversation.progressToken }),
    ...(isModern && client?.logLevel !== undefined && { [LOG_LEVEL_META_KEY]: client.logLevel }),
  };
  return {
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
    ...(isModern && client?.inputResponses && { inputResponses: client.inputResponses }),
    ...(isModern && client?.requestState !== undefined && { requestState: client.requestState }),
  };
}

/** The result without the members that protocol versions add for a server's direct client. */
export function withoutEra(result: JsonObject): JsonObject {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta: meta, ...members } = result;
  if (!isObject(meta)) return members;
  const { 'io.modelcontextprotocol/serverInfo': _server, ...own } = meta;
  return Object.keys(own).length === 0 ? members : { ...members, _meta: own };
}

function isName(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH && value.isWellFormed();
}
