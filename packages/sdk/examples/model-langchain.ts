import { Fairlead } from '@fairlead/sdk';
import { langChainTools } from '@fairlead/sdk/langchain';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { setting } from './settings.ts';
import { createToolset } from './toolset.ts';

// A LangChain agent runs the tools of a toolset. Set OPENAI_API_KEY.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });
const { toolsetId, remove } = await createToolset(client);

const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5' }),
  tools: await langChainTools(client, { toolsetId }),
});
const { messages } = await agent.invoke({
  messages: [{ role: 'user', content: 'Add Ada Lovelace to the CRM.' }],
});
console.log(messages.at(-1)?.content);

await remove();
