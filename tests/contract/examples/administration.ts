import type { PlanRun } from './plan-run.ts';

/** Examples of the account, its users and credentials. */
export async function administrationExamples(run: PlanRun, connectionId: number): Promise<void> {
  const { mark } = run.surroundings;
  await run.example('getAccount');
  await run.example('updateAccount', { body: { maxConnectionsPerEndUser: 10 } });
  const user = { email: `grace${mark}@example.com`, name: 'Grace Hopper', role: 'member' };
  const { userId } = await run.example('createUser', { body: user });
  await run.example('listUsers');
  await run.example('updateUser', { params: { userId }, body: { role: 'admin' } });
  const { id } = await run.example('createApiKey', { body: { name: 'Nightly sync', userId } });
  await run.example('listApiKeys');
  await run.example('revokeApiKey', { params: { id } });
  const client = {
    name: 'Our web app',
    grantTypes: ['authorization_code'],
    redirectUris: ['https://app.example.com/callback'],
  };
  const { clientId } = await run.example('createOAuthClient', { body: client });
  await run.example('listOAuthClients');
  await run.example('deleteOAuthClient', { params: { clientId } });
  await run.example('listAllConnections', { query: { top: 1 } });
  await run.example('setLicence', { params: { connectionId }, body: { status: 'active' } });
  const moved = {
    applicationSlug: 'sandbox-crm',
    connectionName: 'CRM of customer 2',
    authenticationId: 0,
    endUserId: 'customer-2',
    accessToken: 'the-access-token',
    refreshToken: 'the-refresh-token',
  };
  await run.example('importConnection', { body: moved });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Acme Notes', version: '1.0.0' },
    servers: [{ url: 'https://notes.acme.example/v1' }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
    paths: {
      '/notes': {
        get: {
          operationId: 'listNotes',
          summary: 'List notes',
          parameters: [{ name: 'tag', in: 'query', schema: { type: 'string' } }],
          responses: { '200': { description: 'The notes.' } },
        },
      },
    },
  };
  const notes = { params: { slug: 'acme-notes' } };
  await run.example('importApplication', { body: { source: 'openapi', slug: 'acme-notes', document } });
  await run.example('getOwnApplication', notes);
  await run.example('deleteOwnApplication', notes);
  await run.example('listAuditEntries', { query: { top: 1 } });
  await run.example('getUsage', { query: { top: 1 } });
}
