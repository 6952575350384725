import { generateText, isStepCount } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterEach, expect, it } from 'vitest';
import { aiTools } from './ai.ts';
import { refusal } from './testing/api-server.ts';
import { API_KEY, startToolApi, succeeded } from './testing/tool-api.ts';
import type { ToolApi } from './testing/tool-api.ts';

let api: ToolApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that calls the tool, and then replies with text. */
function scriptedModel(): MockLanguageModelV4 {
  const input = JSON.stringify({ name: 'Ada' });
  return new MockLanguageModelV4({
    doGenerate: [
      {
        content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'crm-create-contact', input }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
}

it('the AI SDK runs the tools that a model calls, with their outputs for the model', async () => {
  api = await startToolApi(() => succeeded({ id: 'c1' }));
  const model = scriptedModel();
  const tools = await aiTools(
    api.client,
    { toolsetId: 'set', endUserId: 'u1' },
    { schemaProfile: 'openai-strict' },
  );
  const { text } = await generateText({ model, tools, prompt: 'Add Ada.', stopWhen: isStepCount(3) });
  expect(text).toBe('Done.');
  expect(model.doGenerateCalls[0]?.tools).toMatchObject([
    { type: 'function', name: 'crm-create-contact', description: 'Creates a contact.', strict: true },
  ]);
  expect(api.executions).toMatchObject([
    { query: { toolsetId: 'set', endUserId: 'u1', schemaProfile: 'openai-strict' }, fields: { name: 'Ada' } },
  ]);
  expect(model.doGenerateCalls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'call-1', output: { type: 'json', value: { id: 'c1' } } }],
  });
});

it('a refused call reaches the model in words, without a secret', async () => {
  api = await startToolApi(() => refusal(409, 'APPROVAL_REQUIRED', {}, { approvalId: 'a1' }));
  const model = scriptedModel();
  const tools = await aiTools(api.client, { toolsetId: 'set' });
  await generateText({ model, tools, prompt: 'Add Ada.', stopWhen: isStepCount(3) });
  const { prompt } = model.doGenerateCalls[1] ?? {};
  expect(prompt?.at(-1)).toMatchObject({
    content: [
      { output: { type: 'error-text', value: expect.stringContaining('approve this call first') as string } },
    ],
  });
  expect(JSON.stringify(model.doGenerateCalls)).not.toContain(API_KEY);
});

it('the abort signal of a run ends its executions', async () => {
  const control = new AbortController();
  let isClosed = false;
  api = await startToolApi(() => (response) => {
    response.on('close', () => (isClosed = true));
    control.abort();
  });
  const tools = await aiTools(api.client, { toolsetId: 'set' });
  const run = generateText({
    model: scriptedModel(),
    tools,
    prompt: 'Add Ada.',
    stopWhen: isStepCount(3),
    abortSignal: control.signal,
  });
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => isClosed).toBe(true);
});
