import { OAUTH_PATH } from './resources.ts';

/** Path of the metadata of the REST API as a protected resource (RFC 9728). */
export const API_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Path of the metadata of the MCP endpoint. */
export const MCP_METADATA_PATH = `${API_METADATA_PATH}/mcp`;

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
