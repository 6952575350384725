import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { fence } from '../setup/fences.ts';
import { isInstalled, linkedCheckout, PastingShell } from '../setup/walk.ts';
import { installClient } from './support/installed-client.ts';
import { preparePython, python, runPython, WITHOUT_PYTHON } from './support/python-programs.ts';

const run = promisify(execFile);
const stack = inject('stack');

/** The guide's programs: each one's file name, under which the reader saves it, and its code block. */
const PROGRAMS = {
  'openai.mjs': await fence('docs/ai.md', 'js ai-openai'),
  'anthropic.mjs': await fence('docs/ai.md', 'js ai-anthropic'),
  'ai-sdk.mjs': await fence('docs/ai.md', 'js ai-ai-sdk'),
  'langchain.mjs': await fence('docs/ai.md', 'js ai-langchain'),
  'job.mjs': await fence('docs/ai.md', 'js ai-retry'),
  'agent.py': await fence('docs/ai.md', 'py ai-langchain-python'),
};
const VENDORS = [
  'openai',
  '@anthropic-ai/sdk',
  'ai',
  '@ai-sdk/openai',
  'langchain',
  '@langchain/core',
  '@langchain/openai',
];
const CREATE = 'sandbox-crm-create-contact';
const HELD = /person has to approve|APPROVAL_REQUIRED/;

let checkout: Awaited<ReturnType<typeof linkedCheckout>>;
/** Folder of the reader's agent. */
let folder: string;
let models: ChildProcess;
/** Lines that the scripted models print in the agent's terminal. */
let exports: string;

beforeAll(async () => {
  // Python's packages are installed in parallel; a failure is reported by the program that needs them.
  if (python !== undefined) preparePython().catch(() => undefined);
  [checkout, folder] = await Promise.all([linkedCheckout(stack), installClient(VENDORS)]);
  for (const [name, text] of Object.entries(PROGRAMS)) await writeFile(join(folder, name), text);
  // `npx node`, and the program.
  const [, , ...args] = (await fence('docs/ai.md', 'sh ai-model')).trim().split(' ');
  models = spawn(process.execPath, args, {
    cwd: checkout.path,
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  models.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await vi.waitUntil(() => /^export ANTHROPIC.*\n/m.test(printed), { timeout: 90_000 });
  exports = printed.slice(printed.indexOf('export'));
});
afterAll(async () => {
  models.kill();
  await once(models, 'exit');
  await Promise.all([checkout.remove(), rm(folder, { recursive: true, force: true })]);
});

async function api(path: string, body?: object): Promise<any> {
  const answer = await fetch(stack.baseUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': stack.account.apiKey, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  return answer.json();
}

/** The environment of an agent with its own toolset and key, like those that the guide creates. */
async function environmentOfAgent(): Promise<NodeJS.ProcessEnv> {
  const { id: connectionId } = await api('/v1/connections', {
    applicationSlug: 'sandbox-crm',
    connectionName: 'CRM of an agent',
    authenticationId: 1,
    fields: { apiToken: stack.sandboxCrm.apiKey },
  });
  const { id: toolsetId } = await api('/v1/toolsets', {
    name: 'Contacts',
    connections: [{ connectionId }],
    tools: [{ applicationSlug: 'sandbox-crm', toolSlug: CREATE }],
    policy: { requireApproval: [CREATE] },
  });
  const { apiKey } = await api('/admin/v1/api-keys', { name: 'Agent', toolsetId });
  const pairs = [...exports.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  return {
    ...Object.fromEntries(pairs),
    PATH: process.env['PATH'],
    FAIRLEAD_URL: stack.baseUrl,
    FAIRLEAD_API_KEY: apiKey,
    TOOLSET_ID: toolsetId,
  };
}

/** Approves the only pending call of the agent's toolset; returns the approval's id. */
async function approve({ TOOLSET_ID: toolsetId }: NodeJS.ProcessEnv): Promise<string> {
  const { items } = await api('/v1/approvals?status=pending');
  const ids = items.filter((it: any) => it.toolsetId === toolsetId).map((it: any) => it.approvalId);
  expect(ids).toHaveLength(1);
  await api(`/v1/approvals/${ids[0]}/approve`, {});
  return ids[0];
}

async function runProgram(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = name.endsWith('.py')
    ? await runPython([join(folder, name)], env)
    : await run(process.execPath, [join(folder, name), ...args], { cwd: folder, env });
  return stdout;
}

/** Number of the agent's executed calls: the executions with its toolset's connection. */
async function executionsOf({ TOOLSET_ID: toolsetId }: NodeJS.ProcessEnv): Promise<number> {
  const { connections } = await api(`/v1/toolsets/${toolsetId}`);
  return (await api(`/v1/executions?connectionId=${connections[0].connectionId}`)).totalCount;
}

describe.each(['bash', 'zsh'] as const)('docs/ai.md, pasted into %s', (name) => {
  it('leads to the first approved call of an agent', async ({ skip }) => {
    skip(!isInstalled(name), `${name} is not installed: nothing is pasted into it`);
    const shell = await PastingShell.open(name, checkout.path);
    try {
      expect(await shell.paste(await fence('docs/ai.md', 'sh ai-toolset'))).toMatch(
        /^The agent may use toolset \S+\n$/,
      );
      const port = /:(\d+)/.exec(exports)?.[1] ?? '';
      expect((await fence('docs/ai.md', 'sh ai-scripted')).replaceAll('4010', port)).toBe(exports);
      await shell.paste(exports);
      await shell.paste(`cd ${folder}`);
      expect(await shell.paste('node openai.mjs')).toMatch(HELD);
      const approved = await shell.paste(await fence('docs/ai.md', 'sh ai-approve'));
      expect(approved).toContain(`${CREATE}  {"name":"Ada Lovelace"`);
      expect(approved).toContain('"status":"approved"');
      expect(await shell.paste('node openai.mjs')).toBe('Created Ada Lovelace.\n');
      expect(await shell.paste('node openai.mjs')).toMatch(HELD);
    } finally {
      await shell.close();
    }
    for (const { approvalId } of (await api('/v1/approvals?status=pending')).items)
      await api(`/v1/approvals/${approvalId}/reject`, {});
  });
});

describe('the programs of docs/ai.md', () => {
  it('have at most 15 lines each', () => {
    const lines = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;
    for (const [name, text] of Object.entries(PROGRAMS)) expect(lines(text), name).toBeLessThanOrEqual(15);
  });

  it.concurrent.for(['anthropic.mjs', 'ai-sdk.mjs', 'langchain.mjs', 'agent.py'])(
    '%s is held back, and runs once after a person approved it',
    async (name, { skip }) => {
      skip(name.endsWith('.py') && python === undefined, WITHOUT_PYTHON);
      const env = await environmentOfAgent();
      expect(await runProgram(name, [], env)).toMatch(HELD);
      expect(await executionsOf(env)).toBe(0);
      await approve(env);
      expect(await runProgram(name, [], env)).toBe('Created Ada Lovelace.\n');
      expect(await executionsOf(env)).toBe(1);
    },
  );

  it('job.mjs creates one contact, however often it is started with its key', async () => {
    const env = await environmentOfAgent();
    const [, next] = /: node job\.mjs (\S+ \S+)\n$/.exec(await runProgram('job.mjs', ['job-7'], env)) ?? [];
    expect(next).toBe(`job-7 ${await approve(env)}`);
    const first = await runProgram('job.mjs', (next ?? '').split(' '), env);
    expect(first).toMatch(/^Created Grace Hopper, execution \d+\n$/);
    expect(await runProgram('job.mjs', (next ?? '').split(' '), env)).toBe(first);
    expect(await executionsOf(env)).toBe(1);
  });
});
