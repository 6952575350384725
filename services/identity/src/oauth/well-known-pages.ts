import type { Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { ServeProvider } from './provider/provider-mount.ts';
import { OAUTH_PATH } from '@fairlead/access/resources';
import type { Resources } from '@fairlead/access/resources';
import {
  API_METADATA_PATH,
  MCP_METADATA_PATH,
  MCP_RESOURCE_NAME,
  MCP_SCOPES,
  METADATA_PATHS,
  protectedResource,
} from '@fairlead/access/well-known';

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
      sendJson(response, 200, protectedResource(o.resources, { resource: identifier, name, scopes }));
    },
  });
  return [
    ...servers,
    resource(API_METADATA_PATH, o.resources.api, 'Fairlead API', PERMISSIONS),
    resource(MCP_METADATA_PATH, o.resources.mcp, MCP_RESOURCE_NAME, MCP_SCOPES),
  ];
}
