import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { python, runPython, WITHOUT_PYTHON } from './support/python-programs.ts';
import { startScriptedModels } from '@fairlead/scripted-models/scripted-models';
import type { ScriptedModels } from '@fairlead/scripted-models/scripted-models';

const run = promisify(execFile);
const stack = inject('stack');
const root = fileURLToPath(new URL('../..', import.meta.url));

const environment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  FAIRLEAD_URL: stack.baseUrl,
  FAIRLEAD_API_KEY: stack.account.apiKey,
  SANDBOX_CRM_API_KEY: stack.sandboxCrm.apiKey,
};

describe('the examples of the TypeScript client', () => {
  const folder = join(root, 'packages/sdk/examples');
  const printed: Readonly<Record<string, RegExp>> = {
    'quickstart.ts': /^Applications: .*Sandbox CRM.*\nConnected: .* is Active\nCreated: Ada Lovelace\n$/,
    'iterate.ts': /^(?:sandbox-crm-\S+: .+\n)+(\d+) of \1 tools\nThe newest execution: \S+ \S+Z\n$/,
    'errors.ts':
      /^404 NOT_FOUND \(request \S+\) .+\n400 VALIDATION_ERROR \(request \S+\) top: .+\n401 UNAUTHORIZED .+\nhttp:\/\/127\.0\.0\.1:1 did not answer: .+\n$/,
    'connect-session.ts': /^For the customer’s browser: http\S+\nThe session is open, with 0 connections\n$/,
    'files.ts': /^Uploaded all of it\nDownloaded files\.ts, unchanged\ntable\.csv is text\/csv\n$/,
    'idempotency.ts': /^The same connection twice\n$/,
    'model-ai-sdk.ts': /^Created Ada Lovelace\.\n$/,
    'model-anthropic.ts': /^Created Ada Lovelace\.\n$/,
    'model-approval.ts': /^Nothing was executed: a person has to approve .+\nCreated Ada Lovelace\.\n$/,
    'model-langchain.ts': /^Created Ada Lovelace\.\n$/,
    'model-openai.ts': /^Created Ada Lovelace\.\n$/,
  };
  let models: ScriptedModels;
  beforeAll(async () => {
    models = await startScriptedModels();
  });
  afterAll(() => models.close());

  it('are all run here', async () => {
    const modules = ['settings.ts', 'toolset.ts'];
    const found = (await readdir(folder)).filter((name) => !modules.includes(name));
    expect(found.sort()).toEqual(Object.keys(printed).sort());
  });

  it.each(Object.entries(printed))('%s does what it says', async (name, expected) => {
    const env = {
      ...environment,
      OPENAI_API_KEY: 'sk-of-nobody',
      OPENAI_BASE_URL: `${models.url}/v1`,
      ANTHROPIC_API_KEY: 'sk-of-nobody',
      ANTHROPIC_BASE_URL: models.url,
    };
    const { stdout, stderr } = await run(process.execPath, [join(folder, name)], { env });
    expect(stdout).toMatch(expected);
    expect(stderr).toBe('');
  });

  it('show each model the tool in its dialect', () => {
    const shown = models.offeredTools.map(([tool = {}]) => tool.function ?? tool);
    expect(new Set(shown.map(({ name }) => name))).toEqual(new Set(['sandbox-crm-create-contact']));
    const strict = shown.filter((tool) => tool.strict);
    const required = ['name', 'email', 'company', 'phone'];
    for (const { parameters } of strict)
      expect(parameters).toMatchObject({ required, additionalProperties: false });
    // Each example makes two requests; the approval's makes four, and Anthropic's runner sends tools once.
    expect(strict).toHaveLength(2 + 2 + 4);
    expect(shown.filter((tool) => tool.input_schema?.type === 'object')).toHaveLength(1);
    expect(shown.filter((tool) => !tool.strict && tool.parameters?.required?.length === 1)).toHaveLength(2);
  });
});

describe('the Python client', () => {
  it('does what its quickstart says', async ({ skip }) => {
    skip(python === undefined, WITHOUT_PYTHON);
    const { stdout } = await runPython(['examples/quickstart.py'], environment);
    expect(stdout).toMatch(
      /^Applications: .*Sandbox CRM.*\nConnected: .* is Active\nCreated: Ada Lovelace\n(\d+) tools of \1\nGone: 404 NOT_FOUND request \S+\n$/,
    );
  });

  it('does what its example of a connect session says', async ({ skip }) => {
    skip(python === undefined, WITHOUT_PYTHON);
    const { stdout } = await runPython(['examples/connect_session.py'], environment);
    expect(stdout).toMatch(
      /^For the customer's browser: http\S+\nThe session is open, with 0 connections\n$/,
    );
  });

  it('sends and receives what its example of a file says', async ({ skip }) => {
    skip(python === undefined, WITHOUT_PYTHON);
    const { stdout } = await runPython(['examples/files.py'], environment);
    expect(stdout).toBe('Stored: people.csv, 31 bytes\nReceived: 31 bytes of people.csv\n');
  });

  it('passes its own tests', async ({ skip }) => {
    skip(python === undefined, WITHOUT_PYTHON);
    const { stderr } = await runPython(['-m', 'unittest', 'discover', '-s', 'tests'], environment);
    expect(stderr).toMatch(/\nOK\n$/);
  });
});
