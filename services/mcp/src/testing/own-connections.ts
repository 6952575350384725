import type { OwnConnections } from '../ports/own-connections.ts';

/** Connections, of which the sign-in of one has expired (undefined: of none). */
export function ownConnections(expired?: number, isRenewable = true): OwnConnections {
  return {
    findExpired: () =>
      Promise.resolve(expired === undefined ? undefined : { id: expired, name: 'CRM', isRenewable }),
    linkFor: ({ userId, applicationSlug, connectionId = 0, isShared }) =>
      `https://fairlead.example/${isShared ? 'shared' : 'own'}/${userId}/${applicationSlug}/${connectionId}`,
  };
}
