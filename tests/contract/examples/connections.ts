import type { PlanRun } from './plan-run.ts';

const SIGN_IN = { applicationSlug: 'sandbox-crm', authenticationId: 0 };

/** Connects the sandbox CRM as the default connection, so that later examples need not name it; returns its id. */
export async function newConnection(run: PlanRun): Promise<number> {
  const { apiKey } = run.surroundings.stack.sandboxCrm;
  const body = {
    applicationSlug: 'sandbox-crm',
    connectionName: 'Sales CRM',
    authenticationId: 1,
    fields: { apiToken: apiKey },
  };
  const { id } = await run.example('createConnection', { body });
  await run.example('setDefaultConnection', { params: { connectionId: id } });
  return id;
}

/** Examples of connections, sign-ins and auth providers. */
export async function connectionExamples(run: PlanRun, connectionId: number): Promise<void> {
  const { apiKey } = run.surroundings.stack.sandboxCrm;
  const params = { connectionId };
  await run.example('testConnection', { params });
  await run.example('sendRequest', { params, body: { method: 'GET', path: '/whoami' } });
  await run.example('getConnection', { params });
  const replacement = { connectionName: 'Sales CRM, Europe', fields: { apiToken: apiKey } };
  await run.example('replaceConnection', { params, body: replacement });
  await run.example('listConnections', { query: { applicationSlug: 'sandbox-crm' } });
  const unused = {
    applicationSlug: 'sandbox-crm',
    connectionName: 'Trial CRM',
    authenticationId: 1,
    fields: { apiToken: apiKey },
  };
  const { id } = await run.call('createConnection', { body: unused });
  await run.example('deleteConnection', { params: { connectionId: id } });
  const { state } = await run.example('getSignInUrl', { body: SIGN_IN });
  await run.example('pollSignIn', { params: { state } });
  await authProviderExamples(run);
}

async function authProviderExamples(run: PlanRun): Promise<void> {
  const { oauthClientId, oauthClientSecret } = run.surroundings.stack.sandboxCrm;
  await run.example('listAuthProviderSources', { query: { top: 1 } });
  await run.example('getRedirectUri', { query: { applicationSlug: 'sandbox-crm' } });
  const values = { Key1: oauthClientId, Key2: oauthClientSecret };
  const body = { name: 'Our CRM app', ...SIGN_IN, isDefault: true, values };
  const { id } = await run.example('createAuthProvider', { body });
  await run.example('getAuthProvider', { params: { id } });
  await run.example('listAuthProviders');
  await run.example('listUsableAuthProviders', { query: { applicationSlug: 'sandbox-crm' } });
  await run.example('updateAuthProvider', { params: { id }, body: { name: 'Our CRM app, Europe' } });
  await run.example('deleteAuthProvider', { params: { id } });
}
