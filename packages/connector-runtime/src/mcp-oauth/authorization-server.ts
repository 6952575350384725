import type { JsonObject } from '@fairlead/connector-model/json';
import { CallFailure } from '../failure.ts';
import { textOf } from '../templates.ts';
import { readChallenge } from './challenge.ts';
import type { Challenge } from './challenge.ts';
import { readDocument, refuseTemplate, secureUrl, textsOf } from './document.ts';
import type { DiscoveryCall } from './document.ts';

/** An MCP server's authorization server, from the metadata of both. Every address is https, or http on this computer. */
export interface McpAuthorizationServer {
  /** The issuer exactly as the server writes it, because `iss` must equal this text. */
  readonly issuer: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** Registration endpoint; null: clients cannot register themselves. */
  readonly registrationUrl: string | null;
  readonly revocationUrl: string | null;
  /** Whether each authorization response must contain `iss` (RFC 9207). */
  readonly statesIssuer: boolean;
  /** Whether the URL of a client's metadata document is accepted as its client id. */
  readonly takesClientDocuments: boolean;
  /** Client authentication methods that the server supports, with their names in RFC 7591. */
  readonly clientAuthentications: readonly string[];
  /** The resource for which tokens are requested (RFC 8707); null: not stated, as before MCP 2025-06-18. */
  readonly resource: string | null;
  readonly scopes: readonly string[];
}

const WELL_KNOWN = '/.well-known';
const MAX_SCOPES = 100;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,500}$/;
const OFFLINE_ACCESS = 'offline_access';

/**
 * Finds the authorization server of an MCP server (MCP 2025-11-25, "Authorization"). The resource metadata (RFC 9728)
 * names the authorization server, and its metadata (RFC 8414, or OpenID Connect Discovery) describes it. An MCP
 * server without resource metadata is its own authorization server (MCP 2025-03-26). Throws EgressError, and
 * CallFailure for documents that are contradictory or insufficient for a safe sign-in.
 */
export async function discoverAuthorizationServer(
  call: DiscoveryCall,
  serverUrl: URL,
): Promise<McpAuthorizationServer> {
  const challenge = await readChallenge(call, serverUrl);
  const resource = await readResource(call, serverUrl, challenge);
  const issuer = resource === undefined ? new URL(serverUrl.origin) : issuerOf(resource);
  const metadata = await readServer(call, issuer);
  if (metadata === undefined && (resource !== undefined || !challenge.isUnauthorized)) {
    throw new CallFailure(
      resource === undefined
        ? 'The MCP server does not ask for a sign-in.'
        : `The authorization server ${issuer.host} has no metadata.`,
    );
  }
  const described = metadata === undefined ? undescribedServer(issuer) : describedServer(metadata);
  const scopeNames = challenge.scopes ?? textsOf(resource?.['scopes_supported']) ?? [];
  // Without the scope `offline_access`, such a server issues no refresh token.
  const isOffline = textsOf(metadata?.['scopes_supported'])?.includes(OFFLINE_ACCESS) === true;
  const scopes = [...new Set([...scopeNames, ...(isOffline ? [OFFLINE_ACCESS] : [])])];
  return {
    ...described,
    resource: resource === undefined ? null : textOf(resource['resource'] ?? ''),
    scopes: scopes.filter((scope) => SCOPE.test(scope)).slice(0, MAX_SCOPES),
  };
}

/** The MCP server's resource metadata, whose `resource` must be the server; undefined if there is none. */
async function readResource(
  call: DiscoveryCall,
  serverUrl: URL,
  { metadataUrl }: Challenge,
): Promise<JsonObject | undefined> {
  const { origin, pathname } = serverUrl;
  const atRoot = `${origin}${WELL_KNOWN}/oauth-protected-resource`;
  const path = pathname === '/' ? '' : pathname;
  const candidates = metadataUrl === null ? [...new Set([atRoot + path, atRoot])] : [metadataUrl];
  for (const url of candidates) {
    const document = await readDocument(call, url);
    if (document === undefined) continue;
    const resource = secureOrSame(document['resource'], serverUrl);
    if (!isWithin(serverUrl, resource)) {
      throw new CallFailure(
        `The metadata of the MCP server is about another resource: ${resource.origin}${resource.pathname}`,
      );
    }
    return document;
  }
  if (metadataUrl !== null) throw new CallFailure('The metadata that the MCP server names does not exist.');
  return undefined;
}

/** The resource is https, or has the origin of the MCP server. */
function secureOrSame(resource: unknown, serverUrl: URL): URL {
  refuseTemplate(resource, 'The resource of the MCP server');
  const url = typeof resource === 'string' ? URL.parse(resource) : null;
  return url?.origin === serverUrl.origin ? url : secureUrl(resource, 'The resource of the MCP server');
}

/** Whether the server's URL equals the resource or is below it. The SDKs' clients use the same rule. */
function isWithin(serverUrl: URL, resource: URL): boolean {
  const base = resource.pathname.endsWith('/') ? resource.pathname : `${resource.pathname}/`;
  return serverUrl.origin === resource.origin && `${serverUrl.pathname}/`.startsWith(base);
}

function issuerOf(resource: JsonObject): URL {
  const [issuer] = textsOf(resource['authorization_servers']) ?? [];
  if (issuer === undefined) throw new CallFailure('The MCP server names no authorization server.');
  const url = secureUrl(issuer, 'The issuer');
  if (url.search !== '') throw new CallFailure('The issuer must not contain a query.');
  return url;
}

/** The metadata of an authorization server, whose `issuer` must be that server; undefined if there is none. */
async function readServer(call: DiscoveryCall, issuer: URL): Promise<JsonObject | undefined> {
  const { origin } = issuer;
  const path = issuer.pathname.replace(/\/$/, '');
  const candidates = [
    `${origin}${WELL_KNOWN}/oauth-authorization-server${path}`,
    `${origin}${WELL_KNOWN}/openid-configuration${path}`,
    `${origin}${path}${WELL_KNOWN}/openid-configuration`,
  ];
  for (const url of new Set(candidates)) {
    const document = await readDocument(call, url);
    if (document === undefined) continue;
    refuseTemplate(document['issuer'], 'The issuer');
    const named = URL.parse(textOf(document['issuer'] ?? ''));
    // Otherwise a server could impersonate another one. Source: RFC 8414 section 3.3.
    if (named?.href.replace(/\/$/, '') !== issuer.href.replace(/\/$/, '')) {
      throw new CallFailure(`The metadata of the authorization server ${issuer.host} names another issuer.`);
    }
    return document;
  }
  return undefined;
}

type ServerMetadata = Omit<McpAuthorizationServer, 'resource' | 'scopes'>;

function describedServer(metadata: JsonObject): ServerMetadata {
  const address = (name: string): string => secureUrl(metadata[name], `The ${name}`).href;
  const optional = (name: string): string | null =>
    (metadata[name] ?? null) === null ? null : address(name);
  if (textsOf(metadata['code_challenge_methods_supported'])?.includes('S256') !== true) {
    throw new CallFailure('The authorization server does not support PKCE with S256.');
  }
  if (textsOf(metadata['response_types_supported'])?.includes('code') === false) {
    throw new CallFailure('The authorization server does not issue authorization codes.');
  }
  const issuer = textOf(metadata['issuer'] ?? '');
  const authorizationUrl = address('authorization_endpoint');
  const statesIssuer = metadata['authorization_response_iss_parameter_supported'] === true;
  // Otherwise a code from an honest server could be redeemed at this one (mix-up attack, RFC 9700 section 4.4).
  if (!statesIssuer && new URL(authorizationUrl).origin !== new URL(issuer).origin) {
    throw new CallFailure('The authorization_endpoint must have the origin of the issuer.');
  }
  return {
    issuer,
    authorizationUrl,
    tokenUrl: address('token_endpoint'),
    registrationUrl: optional('registration_endpoint'),
    revocationUrl: optional('revocation_endpoint'),
    statesIssuer,
    takesClientDocuments: metadata['client_id_metadata_document_supported'] === true,
    // The default of RFC 8414 section 2.
    clientAuthentications: textsOf(metadata['token_endpoint_auth_methods_supported']) ?? [
      'client_secret_basic',
    ],
  };
}

/** An MCP 2025-03-26 server without metadata: its endpoints have the default paths. */
function undescribedServer(issuer: URL): ServerMetadata {
  const address = (path: string): string => secureUrl(issuer.origin + path, 'The MCP server').href;
  return {
    issuer: issuer.origin,
    authorizationUrl: address('/authorize'),
    tokenUrl: address('/token'),
    registrationUrl: address('/register'),
    revocationUrl: null,
    statesIssuer: false,
    takesClientDocuments: false,
    clientAuthentications: ['none', 'client_secret_post', 'client_secret_basic'],
  };
}
