import type { Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { PERMISSIONS } from '@fairlead/access/permissions';
import { METADATA_PATHS } from './provider/addresses.ts';
import type { ServeProvider } from './provider/provider-mount.ts';
import { OAUTH_PATH } from '@fairlead/access/resources';
import type { Resources } from '@fairlead/access/resources';
import { DEFAULT_SCOPES } from '@fairlead/access/scopes';

/**
 * The metadata of the authorization server where clients look for it: after the issuer's path (RFC 8414 section 3.1) and,
 * for clients that look only there, at the root of the origin; and that of the protected resources (RFC 9728).
 */
export function wellKnownPages(o: {
  readonly resources: Resources;
  readonly serve: ServeProvider;
}): readonly Page[] {
  const servers = METADATA_PATHS.flatMap((path): readonly Page[] =>
    ([`${path}${OAUTH_PATH}`, path] as const).map((address) => ({
      path: address,
      isSafe: true,
      isCrossOrigin: true,
      show: (exchange, request, response) => o.serve(exchange, request, response, path),
    })),
  );
  const resource = (
    path: `/${string}`,
    identifier: string,
    name: string,
    scopes: readonly string[],
  ): Page => ({
    path,
    isSafe: true,
    isCrossOrigin: true,
    show(_exchange, _request, response) {
      sendJson(response, 200, {
        resource: identifier,
        resource_name: name,
        authorization_servers: [o.resources.issuer],
        scopes_supported: scopes,
        bearer_methods_supported: ['header'],
      });
    },
  });
  const base = '/.well-known/oauth-protected-resource';
  return [
    ...servers,
    resource(base, o.resources.api, 'Fairlead API', PERMISSIONS),
    // Clients request the scopes listed here: what calling tools requires, and no more.
    resource(`${base}/mcp`, o.resources.mcp, 'Fairlead MCP servers', DEFAULT_SCOPES),
  ];
}
