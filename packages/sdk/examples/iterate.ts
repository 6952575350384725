import { Fairlead } from '@fairlead/sdk';
import { setting } from './settings.ts';

// Every list has an iterator: pages are fetched as they are needed, here two tools at a time.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });

let count = 0;
for await (const tool of client.tools.iterate({ applicationSlug: 'sandbox-crm', top: 2 })) {
  count += 1;
  // With `format`, tools are definitions for the API of a model instead.
  if ('description' in tool) console.log(`${tool.toolSlug}: ${tool.description}`);
}
const { totalCount } = await client.tools.list({ applicationSlug: 'sandbox-crm', top: 1 });
console.log(`${count} of ${totalCount} tools`);

// Leaving the loop stops fetching.
for await (const execution of client.tools.iterateExecutions({ top: 10 })) {
  console.log('The newest execution:', execution.toolSlug, execution.createdAt);
  break;
}
