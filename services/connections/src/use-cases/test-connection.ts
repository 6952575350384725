import type { Credential } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { refuseAgentConnection } from '../domain/connection.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { connectionPermit } from '../domain/vendor-permits.ts';
import { askWithCredential } from './ask-with-credential.ts';
import type { VendorAnswer, VendorReply } from './ask-with-credential.ts';
import { getConnection } from './get-connection.ts';
import type { ToolReader } from './read-tools-again.ts';

type TestConnectionDeps = DepsOf<typeof askWithCredential | typeof getConnection> & {
  readonly runtime: Pick<ConnectorRuntime, 'testCredential'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
  readonly toolReader: Pick<ToolReader, 'read'>;
};

/** Whether the vendor accepted the credential; if not, the reason for people. */
export type ConnectionTest =
  { readonly isSuccess: true } | { readonly isSuccess: false; readonly errorMessage: string };

const TEST_TIMEOUT_MS = 20_000;

/**
 * Asks the vendor whether a connection's credential works. A refused access token is renewed once; an MCP server's tools are re-read. A
 * refusal by the vendor is a result, not an error. NOT_FOUND if there is no such connection. RATE_LIMIT_EXCEEDED if too many other calls
 * are running; then the vendor was not asked.
 */
export async function testConnection(
  deps: TestConnectionDeps,
  ctx: RequestContext,
  id: number,
): Promise<ConnectionTest> {
  const connection = await getConnection(deps, ctx, id);
  refuseAgentConnection(connection);
  const head = await deps.catalog.getConnector(ctx, connectorSlugOf(connection));
  const method = head.authenticationMethods.find(
    ({ authenticationId }) => authenticationId === connection.authenticationId,
  );
  if (method === undefined) {
    return {
      isSuccess: false,
      errorMessage: `${head.name} no longer offers ${connection.authenticationName}.`,
    };
  }
  // The handshake proves the credential; the tools are read in the same session.
  if (connection.kind === 'MCPClient') return result(await deps.toolReader.read(ctx, connection));
  const permit = connectionPermit(accountOf(ctx), id, ctx.signal);
  return await deps.vendorPermits.run(permit, async () => {
    const ask = async (credential: Credential): Promise<VendorReply<null>> => {
      const options = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: TEST_TIMEOUT_MS };
      const check = await deps.runtime.testCredential(head, method, credential, options);
      return check.isSuccess ? { isSuccess: true, value: null } : check;
    };
    return result(await askWithCredential(deps, ctx, connection, 'test', ask));
  });
}

function result(answered: VendorAnswer<unknown>): ConnectionTest {
  return answered.isSuccess ? { isSuccess: true } : { isSuccess: false, errorMessage: answered.errorMessage };
}
