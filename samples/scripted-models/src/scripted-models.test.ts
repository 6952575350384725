import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedModels } from './scripted-models.ts';
import type { ScriptedModels } from './scripted-models.ts';

let models: ScriptedModels;
beforeAll(async () => {
  models = await startScriptedModels();
});
afterAll(() => models.close());

async function ask(path: string, body: object): Promise<readonly [number, unknown]> {
  const answer = await fetch(`${models.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return [answer.status, await answer.json()];
}

const user = (content: string) => ({ role: 'user', content });
const tool = { name: 'create', parameters: { required: ['name', 'email'] } };

describe('a scripted model', () => {
  it('calls the first tool with the name that the message has', async () => {
    const messages = [user('Add Grace Hopper to the CRM.')];
    const [status, answer] = await ask('/v1/chat/completions', { tools: [{ function: tool }], messages });
    const call = { name: 'create', arguments: '{"email":null,"name":"Grace Hopper"}' };
    expect(status).toBe(200);
    expect(answer).toMatchObject({ choices: [{ message: { tool_calls: [{ function: call }] } }] });
  });

  it('says whom a tool created, and repeats a refusal', async () => {
    const said = async (output: string) => {
      const input = [{ type: 'function_call_output', output }];
      return (await ask('/v1/responses', { tools: [tool], input }))[1];
    };
    const saying = (text: string) => ({ output: [{ content: [{ text }] }] });
    expect(await said('{"name":"Grace Hopper"}')).toMatchObject(saying('Created Grace Hopper.'));
    expect(await said('Not allowed.')).toMatchObject(saying('Not allowed.'));
  });

  it('repeats a message that it has no tool for', async () => {
    expect(await ask('/v1/messages', { messages: [user('Hello')] })).toMatchObject([
      200,
      { content: [{ type: 'text', text: 'Hello' }] },
    ]);
  });

  it('refuses what its script does not know', async () => {
    expect(await ask('/v1/embeddings', {})).toMatchObject([
      404,
      { error: { message: 'no such path: /v1/embeddings' } },
    ]);
    expect((await ask('/v1/messages', { stream: true }))[0]).toBe(400);
  });
});
