import Anthropic, { APIUserAbortError } from '@anthropic-ai/sdk';
import { afterEach, expect, it } from 'vitest';
import { anthropicTools } from './anthropic.ts';
import { refusal } from './testing/api-server.ts';
import { startModelServer } from './testing/model-server.ts';
import type { ModelServer } from './testing/model-server.ts';
import { API_KEY, startToolApi, succeeded } from './testing/tool-api.ts';
import type { ToolApi } from './testing/tool-api.ts';

let api: ToolApi | undefined;
let models: ModelServer | undefined;
afterEach(async () => {
  await api?.close();
  await models?.close();
  api = models = undefined;
});

const message = (block: object, stop: string): object => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [block],
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

/** A client of a model that calls the tool, and then replies with text. */
async function anthropic(): Promise<Anthropic> {
  models = await startModelServer([
    message(
      { type: 'tool_use', id: 'call-1', name: 'crm-create-contact', input: { name: 'Ada' } },
      'tool_use',
    ),
    message({ type: 'text', text: 'Done.' }, 'end_turn'),
  ]);
  return new Anthropic({ apiKey: 'k', baseURL: models.url, maxRetries: 0 });
}

const asked = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Add Ada.' }] };
const resultOf = (): unknown => models?.requests[1]?.messages?.at(-1);

it('the tool runner runs the tools that a model calls, with their outputs for the model', async () => {
  api = await startToolApi(() => succeeded({ id: 'c1' }));
  const tools = await anthropicTools(api.client, { toolsetId: 'set', endUserId: 'u1' });
  const client = await anthropic();
  const last = await client.beta.messages.toolRunner({ ...asked, tools });
  expect(last.content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  expect(models?.requests[0]?.tools).toEqual([
    {
      name: 'crm-create-contact',
      description: 'Creates a contact.',
      input_schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  ]);
  expect(api.executions).toMatchObject([
    { query: { toolsetId: 'set', endUserId: 'u1', schemaProfile: 'anthropic' }, fields: { name: 'Ada' } },
  ]);
  expect(resultOf()).toMatchObject({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'call-1', content: '{"id":"c1"}' }],
  });
});

it('a refused call reaches the model in words, marked as an error and without a secret', async () => {
  api = await startToolApi(() => refusal(409, 'APPROVAL_REQUIRED', {}, { approvalId: 'a1' }));
  const tools = await anthropicTools(api.client, { toolsetId: 'set' });
  const client = await anthropic();
  await client.beta.messages.toolRunner({ ...asked, tools });
  expect(resultOf()).toMatchObject({
    content: [{ is_error: true, content: expect.stringContaining('approve this call first') as string }],
  });
  expect(JSON.stringify(models?.received)).not.toContain(API_KEY);
});

it('the signal of a run ends its executions', async () => {
  const control = new AbortController();
  let isClosed = false;
  api = await startToolApi(() => (response) => {
    response.on('close', () => (isClosed = true));
    control.abort();
  });
  const tools = await anthropicTools(api.client, { toolsetId: 'set' });
  const client = await anthropic();
  const run = client.beta.messages.toolRunner({ ...asked, tools }, { signal: control.signal });
  await expect(run.runUntilDone()).rejects.toBeInstanceOf(APIUserAbortError);
  await expect.poll(() => isClosed).toBe(true);
});
