import type { Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { ServeProvider } from './provider/provider-mount.ts';
import { OAUTH_PATH } from '@fairlead/access/resources';
import type { Resources } from '@fairlead/access/resources';
import { API_METADATA_PATH, MCP_METADATA_PATH, METADATA_PATHS } from '@fairlead/access/well-known';
import { DEFAULT_SCOPES } from '@fairlead/access/scopes';

/** The metadata of the authorization server and of the protected resources, at WELL_KNOWN_PATHS. */
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
  return [
    ...servers,
    resource(API_METADATA_PATH, o.resources.api, 'Fairlead API', PERMISSIONS),
    // Clients request the scopes listed here: what calling tools requires, and no more.
    resource(MCP_METADATA_PATH, o.resources.mcp, 'Fairlead MCP servers', DEFAULT_SCOPES),
  ];
}
