import type { ServiceImpl } from '@connectrpc/connect';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ReleaseService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { DOWNLOADS_PATH } from '../endpoint/downloads.ts';
import type { ReleaseFolder } from '../releases/release-folder.ts';

/** The version of the agent program, which is this repository's. */
export const VERSION = '0.1.0';

/** ReleaseService of proto/fairlead/agents/v1. Installers are served below `publicUrl`. */
export function createReleaseService(
  publicUrl: string,
  releases: Pick<ReleaseFolder, 'findInstaller'>,
): ServiceImpl<typeof ReleaseService> {
  const urlOf = (file: string): string => `${publicUrl}${DOWNLOADS_PATH}/${file}`;
  return {
    async getLatestRelease({ platform }, h) {
      requirePlatform(requestContext(h));
      const installer = await releases.findInstaller(platform);
      if (installer === undefined)
        return { version: VERSION, url: urlOf(`fairlead-agent-${VERSION}-${platform}`) };
      const { version, file, sha256, sizeBytes, releasedAt } = installer;
      return {
        version,
        url: urlOf(file),
        file: { sha256, sizeBytes: BigInt(sizeBytes), releasedAt: timestampFromDate(releasedAt) },
      };
    },
  };
}
