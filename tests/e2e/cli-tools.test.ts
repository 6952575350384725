import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fence } from '../setup/fences.ts';
import { cli } from './support/cli.ts';

const stack = inject('stack');
const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-cli-'));
const { environment, fairlead, json } = cli(stack, folder);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the tools of an account', () => {
  const env = { FAIRLEAD_API_KEY: stack.account.apiKey };
  let connection: string;
  beforeAll(async () => {
    const values = JSON.stringify({ apiToken: stack.sandboxCrm.apiKey });
    const argv = ['connections', 'create', 'sandbox-crm', '--name', 'Of tools', '--values-stdin', '--json'];
    connection = String(JSON.parse((await fairlead(argv, { env, input: values })).out).id);
  });
  afterAll(() => fairlead(['connections', 'delete', connection, '--yes'], { env }));

  it('are found, run with typed inputs, and seen in the history', async () => {
    const applications = await fairlead(['applications', 'list'], { env });
    expect(applications.out).toMatch(/^sandbox-crm +Sandbox CRM +Regular +\d+ +\d+ +yes$/m);
    const tools = await json(['tools', 'list', '--application', 'sandbox-crm', '--all'], env);
    expect(tools.map(({ toolSlug }: any) => toolSlug)).toContain('sandbox-crm-create-contact');
    const create = ['tools', 'run', 'sandbox-crm-create-contact', '--connection', connection];
    const { historyId, output } = await json([...create, 'name=Ada of the CLI'], env);
    expect(output).toMatchObject({ name: 'Ada of the CLI' });
    const shown = await fairlead(['executions', 'show', String(historyId)], { env });
    expect(shown.out).toContain('"name": "Ada of the CLI"');
    const listed = ['executions', 'list', '--tool', 'sandbox-crm-create-contact', '--all'];
    expect((await json(listed, env)).map((one: any) => one.historyId)).toContain(historyId);
    const list = ['tools', 'run', 'sandbox-crm-list-contacts', '--connection', connection, '--sort', 'name'];
    const found = await fairlead([...list, '--filter', 'name contains of the CLI', '--top', '10'], { env });
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining('Ada of the CLI') });
  });

  it('are run as the README says', async () => {
    const block = await fence('packages/cli/README.md', 'sh tools');
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const out = execFileSync('sh', ['-euc', block], { cwd, env: environment(env), encoding: 'utf8' });
    expect(out.match(/"email": "ada@example.com"/g)?.length).toBeGreaterThan(1);
  });

  it('are refused with the input and the way out, without a terminal', async () => {
    const { code, err } = await fairlead(['tools', 'run', 'sandbox-crm-create-contact'], { env });
    expect(code).toBe(2);
    expect(err).toContain('sandbox-crm-create-contact needs name (text). Add name=<value>, or use --fields.');
    expect((await fairlead(['tools', 'show', 'sandbox-crm-create-contacts'], { env })).code).toBe(4);
  });

  it('a dry run takes a file of this machine, and is not recorded', async () => {
    const file = join(folder, 'dry.txt');
    await writeFile(file, 'of a dry run');
    const made = await json(['connections', 'create', 'http', '--name', 'Of a dry run'], env);
    const call = ['tools', 'run', 'http-send-request', '--connection', String(made.id), '--dry-run'];
    const run = [...call, 'url=https://example.com/', 'method=POST'];
    expect(await json([...run, `file=@${file}`], env)).toMatchObject({ isSuccess: true, historyId: null });
    expect((await fairlead(['connections', 'delete', String(made.id), '--yes'], { env })).code).toBe(0);
  });
});
