import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { Credential, CredentialCheck } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { notFound, overloaded } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { AccountSlots } from '@fairlead/service-kit/slots/account-slots';
import type { Connection } from '../domain/connection.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { GetCredentialsDeps } from './get-credentials.ts';
import { getCredentials } from './get-credentials.ts';

/** What testConnection needs. */
export interface TestConnectionDeps extends GetCredentialsDeps {
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly runtime: Pick<ConnectorRuntime, 'testCredential'>;
  readonly vendorSlots: Pick<AccountSlots, 'run'>;
}

/** Whether the vendor accepted the credential, and if not, the reason for people. */
export type ConnectionTest =
  { readonly isSuccess: true } | { readonly isSuccess: false; readonly errorMessage: string };

const TEST_TIMEOUT_MS = 20_000;
/** Longest wait for other calls of the account. */
const SLOT_WAIT_MS = 20_000;

/**
 * Asks the vendor whether a connection's credential works; an access token that it refuses is renewed once. A refusal
 * by the vendor is a result, not an error. NOT_FOUND if there is no such connection. RATE_LIMIT_EXCEEDED if the vendor was
 * not asked, because too many other calls are running.
 */
export async function testConnection(
  deps: TestConnectionDeps,
  ctx: RequestContext,
  id: number,
): Promise<ConnectionTest> {
  const connection = await deps.connections.find(ctx, accountOf(ctx), id);
  if (connection === undefined) throw notFound('connection');
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
  const slot = {
    accountId: accountOf(ctx),
    lane: String(id),
    signal: ctx.signal,
    waitMs: SLOT_WAIT_MS,
    heldBytes: () => 0,
  };
  return await deps.vendorSlots.run(slot, () => askVendor(deps, ctx, connection, { head, method }));
}

async function askVendor(
  deps: TestConnectionDeps,
  ctx: RequestContext,
  { id, grant }: Connection,
  { head, method }: { readonly head: ConnectorHead; readonly method: AuthenticationMethod },
): Promise<ConnectionTest> {
  const ask = async (credential: Credential): Promise<CredentialCheck> => {
    const options = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: TEST_TIMEOUT_MS };
    const check = await deps.runtime.testCredential(head, method, credential, options);
    if (!check.isSuccess && check.isOverloaded) throw overloaded(check.errorMessage);
    return check.isSuccess
      ? check
      : { ...check, errorMessage: vendorText(check.errorMessage, credential.secrets) };
  };

  const first = await getCredentials(deps, ctx, id, undefined, 'test');
  if (first.kind !== 'credential') return { isSuccess: false, errorMessage: first.message };
  const check = await ask(first.credential);
  if (check.isSuccess || !check.isUnauthorized || grant === 'fields') return result(check);
  const second = await getCredentials(deps, ctx, id, first.credential.version, 'test');
  if (second.kind !== 'credential') return { isSuccess: false, errorMessage: second.message };
  return result(await ask(second.credential));
}

function result(check: CredentialCheck): ConnectionTest {
  return check.isSuccess ? { isSuccess: true } : { isSuccess: false, errorMessage: check.errorMessage };
}
