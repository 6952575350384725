import { Fairlead } from '@fairlead/sdk';
import { openAiResponsesTools } from '@fairlead/sdk/openai';
import OpenAI from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { setting } from './settings.ts';
import { createToolset } from './toolset.ts';

// A toolset holds calls back until a person approves them, and the model is told so. With the Responses API of OpenAI, whose
// loop is the program's own. Set OPENAI_API_KEY.
const client = new Fairlead({ baseUrl: setting('FAIRLEAD_URL'), apiKey: setting('FAIRLEAD_API_KEY') });
const { toolsetId, remove } = await createToolset(client, {
  requireApproval: ['sandbox-crm-create-contact'],
});
const { tools, run } = await openAiResponsesTools(client, { toolsetId });
const openai = new OpenAI();

let previous: string | null = null;
/** Returns the model's reply to a message, after the tools that it calls. */
async function say(content: string): Promise<string> {
  let input: ResponseInputItem[] = [{ role: 'user', content }];
  for (;;) {
    const response: OpenAI.Responses.Response = await openai.responses.create({
      model: 'gpt-5',
      tools,
      input,
      previous_response_id: previous,
    });
    previous = response.id;
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) return response.output_text;
    input = await Promise.all(calls.map((call) => run(call)));
  }
}

console.log(await say('Add Ada Lovelace to the CRM.'));
for await (const approval of client.toolsets.iterateApprovals({ status: 'pending' })) {
  // Your product shows `approval.fields` to a person here.
  if (approval.toolsetId === toolsetId) await client.toolsets.approveCall(approval.approvalId);
}
console.log(await say('It is approved now: add her.'));

await remove();
