import type { OwnConnections } from '../ports/own-connections.ts';

/** Connections of users, of which the sign-in of one has expired (undefined: of none). */
export function ownConnections(expired?: number): OwnConnections {
  return {
    findExpired: () => Promise.resolve(expired),
    linkFor: (userId, applicationSlug, connectionId = 0) =>
      `https://fairlead.example/own/${userId}/${applicationSlug}/${connectionId}`,
  };
}
