import type { ConnectionsConfig } from '../config.ts';
import type { OwnClients } from '../ports/own-clients.ts';

/** The connectors' own OAuth clients, as configured by the operator. */
export function createConfiguredClients(
  configured: ConnectionsConfig['CONNECTOR_OAUTH_CLIENTS'],
): OwnClients {
  const clients = new Map(
    Object.entries(configured).map(([slug, methods]) => [slug, new Map(Object.entries(methods))]),
  );
  return {
    find(applicationSlug, authenticationId) {
      const client = clients.get(applicationSlug)?.get(String(authenticationId));
      return client && { clientId: client.clientId, clientSecret: client.clientSecret.reveal() };
    },
    methods: () =>
      [...clients].flatMap(([applicationSlug, methods]) =>
        [...methods.keys()].map((id) => ({ applicationSlug, authenticationId: Number(id) })),
      ),
  };
}
