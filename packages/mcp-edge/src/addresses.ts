import { hash } from 'node:crypto';
import type { Resources } from '@fairlead/access/resources';

/** The path prefix of all MCP servers at the public address. */
export const MCP_PATH = '/mcp';

/** Segments of a path that may be the token of an MCP server. */
const TOKEN = '[0-9A-Za-z_-]{1,128}';
const SERVER_ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MESSAGES = 'messages';
const BY_TOKEN = new RegExp(`^/(${TOKEN})/(mcp|sse|${MESSAGES})$`);
const BY_ID = new RegExp(`^/s/(${SERVER_ID})/(mcp|${MESSAGES})$`);
const TOKEN_ROUTE = '/mcp/{token}/';
/** The address without the server's token. */
const ID_ROUTE = '/mcp/s/{serverId}/';

/** The URL templates for clients. */
export const MCP_ROUTES = [`${TOKEN_ROUTE}mcp`, `${TOKEN_ROUTE}sse`, `${ID_ROUTE}mcp`] as const;

/** The key for looking up a server: the SHA-256 of its token, in base64url, or its id. */
export type ServerKey =
  | { readonly case: 'tokenHash'; readonly value: string }
  | { readonly case: 'serverId'; readonly value: string };

/** An address of an MCP server. */
export interface McpAddress {
  /** The path template, which contains no token. */
  readonly route: string;
  readonly key: ServerKey;
  /** Whether clients post messages here whose answers are sent on an HTTP+SSE stream. */
  readonly isForMessages: boolean;
}

/** The address for a path below MCP_PATH; undefined for any other path. */
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

/**
 * The path for posting messages, for a client that called another address of the server; `path` is that address below
 * MCP_PATH.
 */
export function messagesPath(path: string): string {
  return MCP_PATH + path.replace(/[^/]*$/, MESSAGES);
}

/**
 * The audience of tokens for an address. It never contains the server's token, which would then appear on consent
 * pages and in JWTs.
 */
export function audienceOf({ key }: McpAddress, resources: Resources): string {
  return key.case === 'serverId' ? resources.mcpServer(key.value) : resources.mcp;
}
