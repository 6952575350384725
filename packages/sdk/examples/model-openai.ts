import { Fairlead } from '@fairlead/sdk';
import { openAiTools } from '@fairlead/sdk/openai';
import OpenAI from 'openai';
import { setting } from './settings.ts';
import { createToolset } from './toolset.ts';

// The OpenAI SDK runs the tools of a toolset. Set OPENAI_API_KEY.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });
const { toolsetId, remove } = await createToolset(client);

const runner = new OpenAI().chat.completions.runTools({
  model: 'gpt-5',
  tools: await openAiTools(client, { toolsetId }),
  messages: [{ role: 'user', content: 'Add Ada Lovelace to the CRM.' }],
});
console.log(await runner.finalContent());

await remove();
