/** The path of everything of the authorization server; its issuer is the public address with this path. */
export const OAUTH_PATH = '/oauth';

/**
 * Longest time, in milliseconds, until identity has answered a request below OAUTH_PATH: it may wait for a password check
 * or for a few responses of the upstream provider. The gateway takes a replica that is silent for longer for a frozen one.
 */
export const OAUTH_TIMEOUT_MS = 15_000;

/** The resources that tokens can be for, by their identifiers (RFC 8707). */
export interface Resources {
  /** The issuer of the tokens. */
  readonly issuer: string;
  /** The REST API: the public address. The default resource of a token. */
  readonly api: string;
  /** The MCP endpoint. */
  readonly mcp: string;
  /** The identifier in canonical form; undefined if it is not one of ours. A trailing slash makes no difference. */
  canonical(identifier: string): string | undefined;
}

/** The resources at that public address, which has no trailing slash. */
export function createResources(publicUrl: string): Resources {
  const api = publicUrl;
  const mcp = `${publicUrl}/mcp`;
  const byHref = new Map([api, mcp].map((resource) => [hrefOf(resource), resource]));
  return {
    issuer: publicUrl + OAUTH_PATH,
    api,
    mcp,
    canonical(identifier) {
      const href = hrefOf(identifier);
      return href === undefined ? undefined : byHref.get(href);
    },
  };
}

function hrefOf(identifier: string): string | undefined {
  const url = URL.parse(identifier);
  // Not even an empty query or fragment: `?` and `#` alone leave no trace in the parsed address.
  return url === null || /[?#]/.test(identifier) ? undefined : url.href.replace(/\/$/, '');
}
