import type { Permission } from './permissions.ts';
import { OAUTH_PATH } from './resources.ts';
import type { Resources } from './resources.ts';

/** Path of the metadata of the REST API as a protected resource (RFC 9728). */
export const API_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Path of the metadata of all MCP servers. */
export const MCP_METADATA_PATH = `${API_METADATA_PATH}/mcp`;

/** The name of all MCP servers in their metadata. */
export const MCP_RESOURCE_NAME = 'Fairlead MCP servers';

/** The scopes that clients of MCP servers request. */
export const MCP_SCOPES = ['tools.execute'] as const satisfies readonly Permission[];

/** The address of the authorization server's metadata below the issuer, in the two forms that clients look for. */
export const METADATA_PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
] as const;

/**
 * All paths of metadata at the public address. The authorization server's metadata is where clients look for it: before
 * the issuer's path (RFC 8414 section 3.1) and, for clients that look only there, at the root of the origin.
 */
export const WELL_KNOWN_PATHS = [
  ...METADATA_PATHS.flatMap((path) => [`${path}${OAUTH_PATH}`, path] as const),
  API_METADATA_PATH,
  MCP_METADATA_PATH,
] as const;

/** The metadata of a protected resource (RFC 9728). */
export function protectedResource(
  { issuer }: Pick<Resources, 'issuer'>,
  o: { readonly resource: string; readonly name: string; readonly scopes: readonly string[] },
): object {
  return {
    resource: o.resource,
    resource_name: o.name,
    authorization_servers: [issuer],
    scopes_supported: o.scopes,
    bearer_methods_supported: ['header'],
  };
}
