import Anthropic from '@anthropic-ai/sdk';
import { Fairlead } from '@fairlead/sdk';
import { anthropicTools } from '@fairlead/sdk/anthropic';
import { setting } from './settings.ts';
import { createToolset } from './toolset.ts';

// The Anthropic SDK runs the tools of a toolset. Set ANTHROPIC_API_KEY.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });
const { toolsetId, remove } = await createToolset(client);

const message = await new Anthropic().beta.messages.toolRunner({
  model: 'claude-opus-4-5',
  max_tokens: 1000,
  tools: await anthropicTools(client, { toolsetId }),
  messages: [{ role: 'user', content: 'Add Ada Lovelace to the CRM.' }],
});
for (const block of message.content) if (block.type === 'text') console.log(block.text);

await remove();
