import OpenAI, { APIUserAbortError } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiResponsesTools, openAiTools } from './openai.ts';
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

const completion = (message: object, finish: string): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: finish, logprobs: null, message: { role: 'assistant', ...message } }],
});
const calling = (text: string): object =>
  completion(
    {
      content: null,
      tool_calls: [
        { id: 'call-1', type: 'function', function: { name: 'crm-create-contact', arguments: text } },
      ],
    },
    'tool_calls',
  );

/** A client of a model that calls the tool with this text, and then replies with text. */
async function openAi(text = '{"name":"Ada"}'): Promise<OpenAI> {
  models = await startModelServer([calling(text), completion({ content: 'Done.' }, 'stop')]);
  return new OpenAI({ apiKey: 'k', baseURL: models.url, maxRetries: 0 });
}

const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'Add Ada.' }] };

describe('runTools', () => {
  it('runs the tools that a model calls, with their outputs for the model', async () => {
    api = await startToolApi(() => succeeded({ id: 'c1' }));
    const tools = await openAiTools(api.client, { toolsetId: 'set', connectionId: 3 });
    const client = await openAi();
    expect(await client.chat.completions.runTools({ ...asked, tools }).finalContent()).toBe('Done.');
    expect(models?.requests[0]?.tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'crm-create-contact',
          description: 'Creates a contact.',
          parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          strict: true,
        },
      },
    ]);
    expect(api.executions).toMatchObject([
      {
        query: { toolsetId: 'set', connectionId: '3', schemaProfile: 'openai-strict' },
        fields: { name: 'Ada' },
      },
    ]);
    expect(models?.requests[1]?.messages?.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'call-1',
      content: '{"id":"c1"}',
    });
  });

  it('goes on after a refused call, which reaches the model in words and without a secret', async () => {
    api = await startToolApi(() => refusal(409, 'APPROVAL_REQUIRED', {}, { approvalId: 'a1' }));
    const tools = await openAiTools(api.client, { toolsetId: 'set' }, { isStrict: false });
    const client = await openAi();
    expect(await client.chat.completions.runTools({ ...asked, tools }).finalContent()).toBe('Done.');
    expect(models?.requests[1]?.messages?.at(-1)).toMatchObject({
      content: expect.stringContaining('approve this call first') as string,
    });
    expect(api.executions[0]?.query).toEqual({
      applicationSlug: 'crm',
      toolsetId: 'set',
      schemaProfile: 'anthropic',
    });
    expect(JSON.stringify(models?.received)).not.toContain(API_KEY);
  });

  it.each([
    ['', {}],
    ['{"name":', undefined],
  ])('takes %j as the inputs %j', async (text, fields) => {
    api = await startToolApi(() => succeeded({}));
    // The SDK itself reads the inputs of strict tools.
    const tools = await openAiTools(api.client, { toolsetId: 'set' }, { isStrict: false });
    const client = await openAi(text);
    await client.chat.completions.runTools({ ...asked, tools }).finalContent();
    expect(api.executions.map((execution) => execution.fields)).toEqual(fields === undefined ? [] : [fields]);
    expect(models?.requests[1]?.messages?.at(-1)).toMatchObject({
      content: fields === undefined ? 'The inputs are not valid JSON.' : '{}',
    });
  });

  it('ends executions with its signal', async () => {
    const control = new AbortController();
    let isClosed = false;
    api = await startToolApi(() => (response) => {
      response.on('close', () => (isClosed = true));
      control.abort();
    });
    const tools = await openAiTools(api.client, { toolsetId: 'set' });
    const client = await openAi();
    const runner = client.chat.completions.runTools({ ...asked, tools }, { signal: control.signal });
    await expect(runner.finalContent()).rejects.toBeInstanceOf(APIUserAbortError);
    await expect.poll(() => isClosed).toBe(true);
  });
});

describe('the Responses API', () => {
  const call = { type: 'function_call', call_id: 'call-1', name: 'crm-create-contact' } as const;
  const response = (output: object): object => ({
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [output],
  });

  it('gets the tools, and the outputs of the calls that a program runs', async () => {
    api = await startToolApi(() => succeeded({ id: 'c1' }));
    models = await startModelServer([response({ ...call, arguments: '{"name":"Ada"}' }), response({})]);
    const client = new OpenAI({ apiKey: 'k', baseURL: models.url, maxRetries: 0 });
    const { tools, run } = await openAiResponsesTools(api.client, { toolsetId: 'set' });
    const { output } = await client.responses.create({ model: 'm', tools, input: 'Add Ada.' });
    const calls = output.filter((item) => item.type === 'function_call');
    const input = await Promise.all(calls.map((item) => run(item)));
    await client.responses.create({ model: 'm', tools, input });
    expect(models.requests[0]?.tools).toMatchObject([
      { type: 'function', name: 'crm-create-contact', strict: true, parameters: { type: 'object' } },
    ]);
    expect(models.requests[1]?.input).toEqual([
      { type: 'function_call_output', call_id: 'call-1', output: '{"id":"c1"}' },
    ]);
  });

  it('gets words for a call that cannot be made', async () => {
    api = await startToolApi(() => refusal(404, 'NOT_FOUND'));
    const { run } = await openAiResponsesTools(api.client, { toolsetId: 'set' }, { isStrict: false });
    const outputOf = async (name: string, text: string): Promise<unknown> =>
      (await run({ ...call, name, arguments: text })).output;
    expect(await outputOf('another', '{}')).toBe('There is no such tool.');
    expect(await outputOf(call.name, '{')).toBe('The inputs are not valid JSON.');
    expect(await outputOf(call.name, '{}')).toContain('NOT_FOUND');
    const aborted = run({ ...call, arguments: '{}' }, { signal: AbortSignal.abort(new Error('enough')) });
    await expect(aborted).rejects.toThrow('enough');
  });
});
