import { hash } from 'node:crypto';
import type { Resources } from '@fairlead/access/resources';

/** The path of every MCP server below the public address. */
export const MCP_PATH = '/mcp';

/** Segments of a path that may be the token of an MCP server. */
const TOKEN = '[0-9A-Za-z_-]{1,128}';
const SERVER_ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MESSAGES = 'messages';
const BY_TOKEN = new RegExp(`^/(${TOKEN})/(mcp|sse|${MESSAGES})$`);
const BY_ID = new RegExp(`^/s/(${SERVER_ID})/(mcp|${MESSAGES})$`);
const TOKEN_ROUTE = '/mcp/{token}/';
/** Lacks the token of the server. */
const ID_ROUTE = '/mcp/s/{serverId}/';

/** The templates of the addresses that people give to clients. */
export const MCP_ROUTES = [`${TOKEN_ROUTE}mcp`, `${TOKEN_ROUTE}sse`, `${ID_ROUTE}mcp`] as const;

/** The key by which a server is found: the SHA-256 of its token, in base64url, or its id. */
export type ServerKey =
  | { readonly case: 'tokenHash'; readonly value: string }
  | { readonly case: 'serverId'; readonly value: string };

/** An address that an MCP server may have. */
export interface McpAddress {
  /** Its template, which holds no token. */
  readonly route: string;
  readonly key: ServerKey;
  /** It takes the messages of a client whose answers come on a stream of HTTP+SSE. */
  readonly isForMessages: boolean;
}

/** The address in a path below MCP_PATH; undefined for any other path. */
export function readAddress(path: string): McpAddress | undefined {
  const [, serverId, idEnding] = BY_ID.exec(path) ?? [];
  if (serverId !== undefined && idEnding !== undefined)
    return addressOf({ case: 'serverId', value: serverId }, ID_ROUTE, idEnding);
  const [, token, ending] = BY_TOKEN.exec(path) ?? [];
  if (token === undefined || ending === undefined) return undefined;
  const value = hash('sha256', token, 'base64url');
  return addressOf({ case: 'tokenHash', value }, TOKEN_ROUTE, ending);
}

function addressOf(key: ServerKey, route: string, ending: string): McpAddress {
  return { route: route + ending, key, isForMessages: ending === MESSAGES };
}

/** The path for the messages of a client that called another address of the server, whose path below MCP_PATH is given. */
export function messagesPath(path: string): string {
  return MCP_PATH + path.replace(/[^/]*$/, MESSAGES);
}

/** The audience of tokens for an address. The token of a server is in no audience: that would show it on consent pages and in JWTs. */
export function audienceOf({ key }: McpAddress, resources: Resources): string {
  return key.case === 'serverId' ? resources.mcpServer(key.value) : resources.mcp;
}
