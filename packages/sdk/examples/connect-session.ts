import { Fairlead } from '@fairlead/sdk';
import { setting } from './settings.ts';

// Let a customer of your product connect an application on a hosted page, without your key.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });

const endUserId = 'customer-of-the-example';
const { sessionId, connectUrl } = await client.endUsers.createConnectSession({
  endUserId,
  applicationSlugs: ['sandbox-crm'],
});
console.log('For the customer’s browser:', connectUrl);

// Your server learns the outcome from the session; a browser, with @fairlead/sdk/connect.
const session = await client.endUsers.getConnectSession(sessionId);
console.log(`The session is ${session.status}, with ${session.connections.length} connections`);
await client.endUsers.endConnectSession(sessionId);

// Once somebody is no longer your customer:
await client.endUsers.delete(endUserId);
