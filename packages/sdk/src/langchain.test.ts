import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { createAgent } from 'langchain';
import { afterEach, expect, it } from 'vitest';
import { langChainTools } from './langchain.ts';
import { refusal } from './testing/api-server.ts';
import { API_KEY, startToolApi, succeeded } from './testing/tool-api.ts';
import type { ToolApi } from './testing/tool-api.ts';

let api: ToolApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

/** A model that calls the tool, and then replies with text. */
const scriptedModel = () =>
  fakeModel()
    .respondWithTools([{ name: 'crm-create-contact', args: { name: 'Ada' }, id: 'call-1' }])
    .respond(new AIMessage('Done.'));

const MESSAGES = { messages: [{ role: 'user', content: 'Add Ada.' }] };

it('an agent runs the tools that a model calls, with their outputs for the model', async () => {
  api = await startToolApi(() => succeeded({ id: 'c1' }));
  const model = scriptedModel();
  const tools = await langChainTools(
    api.client,
    { applicationSlug: 'crm', connectionId: 3 },
    { schemaProfile: 'gemini' },
  );
  const { messages } = await createAgent({ model, tools }).invoke(MESSAGES);
  expect(messages.at(-1)?.content).toBe('Done.');
  expect(api.executions).toEqual([
    {
      toolSlug: 'crm-create-contact',
      query: { applicationSlug: 'crm', connectionId: '3', schemaProfile: 'gemini' },
      fields: { name: 'Ada' },
    },
  ]);
  expect(model.calls[1]?.messages.at(-1)).toMatchObject({
    status: 'success',
    content: '{"id":"c1"}',
    tool_call_id: 'call-1',
    artifact: { historyId: 7 },
  });
});

it('a refused call reaches the model in words, without a secret', async () => {
  api = await startToolApi(() => refusal(409, 'APPROVAL_REQUIRED', {}, { approvalId: 'a1' }));
  const model = scriptedModel();
  const tools = await langChainTools(api.client, { toolsetId: 'set' });
  const { messages } = await createAgent({ model, tools }).invoke(MESSAGES);
  const told = messages.find((message) => ToolMessage.isInstance(message));
  expect(told).toMatchObject({
    status: 'error',
    tool_call_id: 'call-1',
    content: expect.stringContaining('approve this call first') as string,
  });
  expect(JSON.stringify(model.calls.map((call) => call.messages))).not.toContain(API_KEY);
});

it('a program that calls a tool with inputs gets its output, or an error that says why not', async () => {
  api = await startToolApi((_request, index) =>
    index === 0 ? succeeded({ id: 'c1' }) : refusal(403, 'TOOL_NOT_IN_TOOLSET'),
  );
  const [tool] = await langChainTools(api.client, { toolsetId: 'set' });
  expect(await tool?.invoke({ name: 'Ada' })).toBe('{"id":"c1"}');
  await expect(tool?.invoke({ name: 'Ada' })).rejects.toThrow('TOOL_NOT_IN_TOOLSET');
});

it('the signal of a run ends its executions', async () => {
  const control = new AbortController();
  let isClosed = false;
  api = await startToolApi(() => (response) => {
    response.on('close', () => (isClosed = true));
    control.abort();
  });
  const tools = await langChainTools(api.client, { toolsetId: 'set' });
  const run = createAgent({ model: scriptedModel(), tools }).invoke(MESSAGES, { signal: control.signal });
  await expect(run).rejects.toThrow(/abort/i);
  await expect.poll(() => isClosed).toBe(true);
});
