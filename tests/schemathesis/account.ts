import type { DevStack } from '../setup/dev-stack.ts';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';

const CONNECTIONS = ['CONNECTION_1', 'CONNECTION_2', 'CONNECTION_3'];

/**
 * Creates an account with connections for fuzzing; returns the variables of schemathesis.toml and hooks.py: the run's credentials, and the
 * ids of records that it must not change because it needs them.
 */
export async function prepareAccount(stack: DevStack): Promise<Readonly<Record<string, string>>> {
  const ask = async (path: string, apiKey: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(new URL(path, stack.baseUrl), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    // Our own API; other tests check its responses.
    return (await answer.json()) as Record<string, unknown>;
  };
  const created = await ask('/operator/v1/accounts', stack.operatorKey, {
    name: 'Fuzzed',
    ownerEmail: 'owner@fuzzed.example',
    budgets: AMPLE_BUDGETS,
  });
  const apiKey = String(created['apiKey']);
  const { accountId, userId, credentialId } = await ask('/v1/auth/whoami', apiKey);
  const connections = await Promise.all(
    CONNECTIONS.map(async (name) => {
      const { id } = await ask('/v1/connections', apiKey, {
        applicationSlug: 'sandbox-crm',
        connectionName: name,
        authenticationId: 1,
        fields: { apiToken: stack.sandboxCrm.apiKey },
      });
      return [name, String(id)] as const;
    }),
  );
  const [[, connection] = []] = connections;
  const executed = await ask(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${connection}`, apiKey, {});
  return {
    ...Object.fromEntries(connections),
    EXECUTION: String(executed['historyId']),
    API_KEY: apiKey,
    BUDGETS: JSON.stringify(AMPLE_BUDGETS),
    API_KEY_ID: String(credentialId),
    USER_ID: String(userId),
    OPERATOR_KEY: stack.operatorKey,
    SPARED_ACCOUNTS: [accountId, stack.account.accountId, stack.otherAccount.accountId].join(','),
  };
}
