import type { Clock } from '@fairlead/service-kit/clock';
import type { Egress } from '@fairlead/egress/egress';
import type { CallOptions } from '../call.ts';
import { startDeadline } from '../deadline.ts';
import { discoverAuthorizationServer } from './authorization-server.ts';
import type { McpAuthorizationServer } from './authorization-server.ts';
import { registerClient } from './client-registration.ts';
import type { RegisteredClient } from './client-registration.ts';
import type { DiscoveryCall } from './document.ts';

/** Prepares a sign-in for an MCP server. Every method throws CallFailure and EgressError. */
export interface McpSignInClient {
  /** See discoverAuthorizationServer. */
  discover(serverUrl: URL, options: CallOptions): Promise<McpAuthorizationServer>;
  /** See registerClient. */
  register(
    server: McpAuthorizationServer,
    redirectUri: string,
    options: CallOptions,
  ): Promise<RegisteredClient>;
}

/** Creates a client over the guarded egress; `clock` decides which secrets have expired. */
export function createMcpSignInClient({
  egress,
  clock,
}: {
  readonly egress: Egress;
  readonly clock: Clock;
}): McpSignInClient {
  const within = async <T>(options: CallOptions, work: (call: DiscoveryCall) => Promise<T>): Promise<T> => {
    const deadline = startDeadline(options);
    try {
      return await work({ egress, accountId: options.accountId, deadline });
    } finally {
      deadline.end();
    }
  };
  return {
    discover: (serverUrl, options) => within(options, (call) => discoverAuthorizationServer(call, serverUrl)),
    register: (server, redirectUri, options) =>
      within(options, (call) => registerClient(call, server, redirectUri, clock.now())),
  };
}
