import { randomUUID } from 'node:crypto';
import { Fairlead } from '@fairlead/sdk';
import { setting } from './settings.ts';

// Each POST carries a generated Idempotency-Key, so that the client may repeat it if no response arrives. Your own key
// does the same across crashes of your program: the second call gets the response to the first one, and creates nothing.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });
const idempotencyKey = `order-${randomUUID()}`;

const create = () =>
  client.connections.create(
    {
      applicationSlug: 'sandbox-crm',
      connectionName: 'Made once',
      fields: { apiToken: setting('SANDBOX_CRM_API_KEY') },
    },
    { idempotencyKey },
  );

const first = await create();
const second = await create();
console.log(first.id === second.id ? 'The same connection twice' : 'Two connections');

await client.connections.delete(first.id);
