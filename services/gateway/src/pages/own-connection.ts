import { ownConnectionPages } from '@fairlead/mcp-edge/own-connection-pages';
import type { OwnConnectionPagesDeps } from '@fairlead/mcp-edge/own-connection-pages';
import { LICENCE_STATUSES } from '@fairlead/rest-records/enums';
import type { Page } from '@fairlead/service-kit/http/app';
import type { Services } from '../services.ts';

const SESSION_MINUTES = 30;

/** The pages on which users connect applications for themselves, by connect sessions. */
export function ownConnection(
  o: Omit<OwnConnectionPagesDeps, 'openSession'> & Pick<Services, 'connectSessions'>,
): readonly Page[] {
  return ownConnectionPages({
    ...o,
    async openSession(ctx, user, { endUserId, applicationSlug, connectionId, isShared, redirectUrl }) {
      const { connectUrl } = await o.connectSessions.createConnectSession(ctx, {
        endUserId,
        applicationSlugs: [applicationSlug],
        ...(connectionId !== undefined && { connectionId, renewsShared: isShared }),
        ...(redirectUrl !== undefined && { redirectUrl }),
        expiresInMinutes: SESSION_MINUTES,
        licenceStatus: LICENCE_STATUSES[user.defaultLicence],
        maxConnections: user.maxConnectionsPerEndUser,
      });
      return connectUrl;
    },
  });
}
