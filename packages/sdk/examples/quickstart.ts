import { Fairlead } from '@fairlead/sdk';
import { setting } from './settings.ts';

// Browse the catalogue, connect an application, execute a tool.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });

const { items: applications } = await client.applications.list({ search: 'crm', top: 5 });
console.log('Applications:', applications.map(({ name }) => name).join(', '));

const connection = await client.connections.create({
  applicationSlug: 'sandbox-crm',
  connectionName: 'CRM of the quickstart',
  fields: { apiToken: setting('SANDBOX_CRM_API_KEY') },
});
console.log(`Connected: ${connection.connectionName} is ${connection.status}`);

const result = await client.tools.execute('sandbox-crm-create-contact', {
  connectionId: connection.id,
  fields: { name: 'Ada Lovelace', email: 'ada@example.com' },
});
// A failure at the vendor is not an API error: branch on isSuccess.
if (!result.isSuccess) throw new Error(result.errorMessage ?? 'The tool failed.');
console.log('Created:', result.output['name']);

await client.connections.delete(connection.id);
