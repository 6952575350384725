import type { OwnConnections } from '../ports/own-connections.ts';

/** Connections; the given one's sign-in has expired (undefined: none). */
export function ownConnections(expired?: number, isRenewable = true): OwnConnections {
  return {
    findExpired: () =>
      Promise.resolve(expired === undefined ? undefined : { id: expired, name: 'CRM', isRenewable }),
    linkFor: ({ userId, applicationSlug, connectionId = 0, isShared }) =>
      `https://fairlead.example/${isShared ? 'shared' : 'own'}/${userId}/${applicationSlug}/${connectionId}`,
  };
}
