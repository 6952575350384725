import type { ServiceImpl } from '@connectrpc/connect';
import type { ReleaseService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';

/** The version of the program that agents run: that of the tree. */
export const VERSION = '0.1.0';

/** ReleaseService of proto/fairlead/agents/v1. Installers are below `publicUrl`. */
export function createReleaseService(publicUrl: string): ServiceImpl<typeof ReleaseService> {
  return {
    getLatestRelease({ platform }, h) {
      requirePlatform(requestContext(h));
      return { version: VERSION, url: `${publicUrl}/downloads/fairlead-agent-${VERSION}-${platform}` };
    },
  };
}
