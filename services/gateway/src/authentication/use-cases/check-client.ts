import type { Budgets } from '@fairlead/access/budgets';
import type { AnonymousClientCaller } from '@fairlead/service-kit/context/caller';
import type { McpServerLookup } from '../ports/mcp-server-lookup.ts';
import type { CallerRefusal } from './check-caller.ts';

interface CheckClientDeps {
  readonly mcpServers: McpServerLookup;
  /** The budgets of an open account; undefined for any other. */
  readonly findBudgets: (accountId: string) => Promise<Budgets | undefined>;
}

/**
 * Checks an anonymous client that was admitted earlier: returns `invalidCredential` unless its MCP server still exists, is active and
 * admits anonymous clients, and its account is open. Rejects with UNAVAILABLE if this cannot be found out.
 */
export async function checkClient(
  { mcpServers, findBudgets }: CheckClientDeps,
  { accountId, serverId }: AnonymousClientCaller,
): Promise<CallerRefusal | undefined> {
  const [server, budgets] = await Promise.all([mcpServers.find(serverId), findBudgets(accountId)]);
  const isAdmitted =
    server?.accountId === accountId && server.isActive && server.isAnonymousAllowed && budgets !== undefined;
  return isAdmitted ? undefined : 'invalidCredential';
}
