import type { Resources } from '@fairlead/access/resources';
import {
  API_METADATA_PATH,
  MCP_RESOURCE_NAME,
  MCP_SCOPES,
  protectedResource,
} from '@fairlead/access/well-known';
import type { Page } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { MCP_PATH, MCP_ROUTES, audienceOf, readAddress } from './addresses.ts';
import type { McpAddress } from './addresses.ts';

/**
 * The OAuth metadata of MCP servers' addresses (RFC 9728, section 3.1), equal whether or not a server exists there.
 * The gateway serves it itself, because a server's token is passed to no other service.
 */
export function mcpMetadataPages(resources: Resources): readonly Page[] {
  return MCP_ROUTES.map((route): Page => ({
    path: `${API_METADATA_PATH}${route}`,
    isSafe: true,
    isCrossOrigin: true,
    isFor: ({ path }) => addressIn(path) !== undefined,
    show(_exchange, { path }, response) {
      const address = addressIn(path);
      if (address === undefined) throw new Error('The page is not for this path.');
      const resource = audienceOf(address, resources);
      sendJson(
        response,
        200,
        protectedResource(resources, { resource, name: MCP_RESOURCE_NAME, scopes: MCP_SCOPES }),
      );
    },
  }));
}

function addressIn(path: string): McpAddress | undefined {
  return readAddress(path.slice(API_METADATA_PATH.length + MCP_PATH.length));
}
