import { openai } from '@ai-sdk/openai';
import { Fairlead } from '@fairlead/sdk';
import { aiTools } from '@fairlead/sdk/ai';
import { generateText, isStepCount } from 'ai';
import { setting } from './settings.ts';
import { createToolset } from './toolset.ts';

// The Vercel AI SDK runs the tools of a toolset. Set OPENAI_API_KEY.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });
const { toolsetId, remove } = await createToolset(client);

const { text } = await generateText({
  model: openai('gpt-5'),
  tools: await aiTools(client, { toolsetId }, { schemaProfile: 'openai-strict' }),
  prompt: 'Add Ada Lovelace to the CRM.',
  stopWhen: isStepCount(5),
});
console.log(text);

await remove();
