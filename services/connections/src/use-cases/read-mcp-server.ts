import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { OverloadError } from '@fairlead/connector-runtime/failure';
import { McpDiscoveryError } from '@fairlead/connector-runtime/runtime';
import { overloaded, validationError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { Secret } from '@fairlead/service-kit/secret';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { heldBytes } from '@fairlead/service-kit/permits/held-bytes';
import { callCredential } from '../domain/credential.ts';
import type { McpServerDescription } from '../domain/mcp-application.ts';
import { mcpServerPermit } from '../domain/vendor-permits.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { NewCredential } from '../ports/connection-store.ts';

interface ReadMcpServerDeps {
  readonly runtime: Pick<ConnectorRuntime, 'discoverMcpTools'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
}

const DISCOVERY_TIMEOUT_MS = 20_000;

/**
 * Reads the tools of the MCP server that a credential points to. Stores nothing. VALIDATION_ERROR on `fields.serverUrl` if the server
 * cannot be reached or does not respond as an MCP server. RATE_LIMIT_EXCEEDED if too many other calls are running; then the server was not
 * called.
 */
export async function readMcpServer(
  deps: ReadMcpServerDeps,
  ctx: RequestContext,
  head: ConnectorHead,
  method: AuthenticationMethod,
  newCredential: NewCredential,
): Promise<McpServerDescription> {
  const tokens = newCredential.tokens === 'keep' ? null : newCredential.tokens;
  const opened = { secretFields: new Secret(newCredential.fields.secret), tokens };
  const credential = callCredential(1, newCredential.fields.plain, opened);
  const caller = { accountId: accountOf(ctx), signal: ctx.signal };
  const permit = mcpServerPermit(caller.accountId, credential.fields['serverUrl'], caller.signal, () =>
    heldBytes(credential.fields),
  );
  try {
    return await deps.vendorPermits.run(permit, () =>
      deps.runtime.discoverMcpTools(head, method, credential, { ...caller, timeoutMs: DISCOVERY_TIMEOUT_MS }),
    );
  } catch (error) {
    if (error instanceof OverloadError) throw overloaded(error.message);
    if (!(error instanceof McpDiscoveryError)) throw error;
    throw validationError({
      field: 'fields.serverUrl',
      issue: vendorText(error.message, credential.secrets),
    });
  }
}
