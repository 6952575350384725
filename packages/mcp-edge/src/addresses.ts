import { createHash } from 'node:crypto';
import type { Resources } from '@fairlead/access/resources';

/** The path of every MCP server below the public address. */
export const MCP_PATH = '/mcp';

/** Segments of a path that may be the token of an MCP server. */
const TOKEN = '[0-9A-Za-z_-]{1,128}';
const SERVER_ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const BY_TOKEN = new RegExp(`^/(${TOKEN})/(mcp|sse)$`);
const BY_ID = new RegExp(`^/s/(${SERVER_ID})/mcp$`);
const TOKEN_ROUTES = { mcp: '/mcp/{token}/mcp', sse: '/mcp/{token}/sse' } as const;
const ID_ROUTE = '/mcp/s/{serverId}/mcp';

/** The templates of all addresses; the one with the id of a server lacks its token. */
export const MCP_ROUTES = [TOKEN_ROUTES.mcp, TOKEN_ROUTES.sse, ID_ROUTE] as const;

/** The key by which a server is found: the SHA-256 of its token, in base64url, or its id. */
export type ServerKey =
  | { readonly case: 'tokenHash'; readonly value: string }
  | { readonly case: 'serverId'; readonly value: string };

/** An address that an MCP server may have. */
export interface McpAddress {
  /** Its template, which holds no token. */
  readonly route: string;
  readonly key: ServerKey;
}

/** The address in a path below MCP_PATH; undefined for any other path. */
export function readAddress(path: string): McpAddress | undefined {
  const [, serverId] = BY_ID.exec(path) ?? [];
  if (serverId !== undefined) return { route: ID_ROUTE, key: { case: 'serverId', value: serverId } };
  const [, token, ending] = BY_TOKEN.exec(path) ?? [];
  if (token === undefined) return undefined;
  return {
    route: ending === 'sse' ? TOKEN_ROUTES.sse : TOKEN_ROUTES.mcp,
    key: { case: 'tokenHash', value: createHash('sha256').update(token).digest('base64url') },
  };
}

/** The audience of tokens for an address. The token of a server is in no audience: that would show it on consent pages and in JWTs. */
export function audienceOf({ key }: McpAddress, resources: Resources): string {
  return key.case === 'serverId' ? resources.mcpServer(key.value) : resources.mcp;
}
