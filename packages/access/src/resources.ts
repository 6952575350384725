/** The path of everything of the authorization server; its issuer is the public address with this path. */
export const OAUTH_PATH = '/oauth';

/**
 * Maximum time, in milliseconds, for identity to answer a request below OAUTH_PATH, which may wait for a password
 * check or for responses of the upstream provider. The gateway treats a replica that is silent for longer as frozen.
 */
export const OAUTH_TIMEOUT_MS = 15_000;

/** The address of an MCP server without its token, below the MCP endpoint. */
const MCP_SERVER = /^\/s\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/mcp$/;

/** The identifiers of resources (RFC 8707) for which tokens can be issued. */
export interface Resources {
  /** The issuer of the tokens. */
  readonly issuer: string;
  /** The REST API: the public address. The default resource of a token. */
  readonly api: string;
  /** Every MCP server, at the address with its token. */
  readonly mcp: string;
  /** One MCP server, at the address without its token. */
  mcpServer(serverId: string): string;
  /** The identifier in canonical form; undefined if it is not one of ours. A trailing slash makes no difference. */
  canonical(identifier: string): string | undefined;
}

/** The resources at that public address, which has no trailing slash. */
export function createResources(publicUrl: string): Resources {
  const api = publicUrl;
  const mcp = `${publicUrl}/mcp`;
  const mcpServer = (serverId: string): string => `${mcp}/s/${serverId}/mcp`;
  const byHref = new Map([api, mcp].map((resource) => [hrefOf(resource), resource]));
  const mcpHref = hrefOf(mcp) ?? mcp;
  return {
    issuer: publicUrl + OAUTH_PATH,
    api,
    mcp,
    mcpServer,
    canonical(identifier) {
      const href = hrefOf(identifier);
      if (href === undefined) return undefined;
      const serverId = href.startsWith(mcpHref)
        ? MCP_SERVER.exec(href.slice(mcpHref.length))?.[1]
        : undefined;
      return serverId === undefined ? byHref.get(href) : mcpServer(serverId);
    },
  };
}

function hrefOf(identifier: string): string | undefined {
  const url = URL.parse(identifier);
  // Not even an empty query or fragment: `?` and `#` alone leave no trace in the parsed address.
  return url === null || /[?#]/.test(identifier) ? undefined : url.href.replace(/\/$/, '');
}
