import type { CreateToolsetRequest, Fairlead } from '@fairlead/sdk';
import { setting } from './settings.ts';

/** Creates a toolset for the examples, which may create contacts in the sandbox CRM. `remove` deletes the toolset and its connection. */
export async function createToolset(
  client: Fairlead,
  policy?: CreateToolsetRequest['policy'],
): Promise<{ readonly toolsetId: string; readonly remove: () => Promise<void> }> {
  const applicationSlug = 'sandbox-crm';
  const { id: connectionId } = await client.connections.create({
    applicationSlug,
    connectionName: 'CRM of a model',
    fields: { apiToken: setting('SANDBOX_CRM_API_KEY') },
  });
  const { id: toolsetId } = await client.toolsets.create({
    name: 'Contacts for a model',
    connections: [{ connectionId }],
    tools: [{ applicationSlug, toolSlug: 'sandbox-crm-create-contact' }],
    ...(policy !== undefined && { policy }),
  });
  const remove = async (): Promise<void> => {
    await client.toolsets.delete(toolsetId);
    await client.connections.delete(connectionId);
  };
  return { toolsetId, remove };
}
