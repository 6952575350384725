import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';

const { call, sent } = accountApi();

const AT = '2026-11-22T10:11:12.000Z';
const DEFINITION = { name: 'Onboard', slug: 'onboard', steps: [{ id: 'a', toolSlug: 'crm-create-contact' }] };
const WORKFLOW = {
  ...DEFINITION,
  workflowToken: 'wf-1',
  description: null,
  inputSchema: {},
  output: null,
  createdAt: AT,
  updatedAt: AT,
};

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fairlead-workflows-'));
  await writeFile(join(cwd, 'onboard.json'), JSON.stringify(DEFINITION));
  await writeFile(join(cwd, 'list.json'), '[]');
  await writeFile(join(cwd, 'text.json'), 'steps:');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe('workflows', () => {
  it('list and get show what is there', async () => {
    const page = { items: [WORKFLOW], totalCount: 1, offset: 0, top: 100 };
    const { out } = await call(['workflows', 'list'], { status: 200, body: page });
    expect(out).toMatch(/wf-1 +onboard +Onboard +1 +2026-11-22 10:11Z/);
    const one = await call(['workflows', 'get', 'wf-1'], { status: 200, body: WORKFLOW });
    expect(one.out).toMatch(/^Steps +a \(crm-create-contact\)$/m);
    const json = await call(['workflows', 'get', 'wf-1', '--json'], { status: 200, body: WORKFLOW });
    expect(JSON.parse(json.out)).toEqual(WORKFLOW);
  });

  it('create sends the file', async () => {
    const argv = ['workflows', 'create', '--file', 'onboard.json'];
    const { code, out } = await call(argv, { status: 201, body: WORKFLOW }, { cwd });
    expect(code).toBe(0);
    expect(out).toMatch(/^Token +wf-1$/m);
    expect(sent()).toEqual([{ line: 'POST /v1/workflows', body: DEFINITION }]);
  });

  it('update sends standard input', async () => {
    const argv = ['workflows', 'update', 'wf-1', '--file', '-'];
    const input = { piped: '{"name":"New"}' };
    expect((await call(argv, { status: 200, body: WORKFLOW }, { input })).code).toBe(0);
    expect(sent()).toEqual([{ line: 'PATCH /v1/workflows/wf-1', body: { name: 'New' } }]);
  });

  it.each([
    ['no file', []],
    ['a file that is not there', ['--file', 'none.json']],
    ['a file that is no JSON', ['--file', 'text.json']],
    ['a file that is no object', ['--file', 'list.json']],
  ])('%s is a wrong call', async (_, argv) => {
    const { code, err } = await call(['workflows', 'create', ...argv], { status: 201 }, { cwd });
    expect(code).toBe(2);
    expect(err).toContain(argv[1] ?? '--file');
    expect(sent()).toEqual([]);
  });

  it('delete asks a person to confirm, and can remove it from toolsets', async () => {
    const argv = ['workflows', 'delete', 'wf-1', '--force'];
    expect((await call(argv, { status: 204 })).code).toBe(2);
    expect(sent()).toEqual([]);
    expect((await call([...argv, '--yes'], { status: 204 })).out).toBe('Deleted workflow wf-1.\n');
    expect(sent()).toEqual([{ line: 'DELETE /v1/workflows/wf-1?force=true', body: undefined }]);
  });
});

describe('workflows run', () => {
  const ran = (result: object) =>
    call(
      ['workflows', 'run', 'wf-1', '--toolset', 'ts-1', '--file', '-', '--dry-run'],
      ({ method }) => ({ status: 200, body: method === 'GET' ? WORKFLOW : result }),
      { input: { piped: '{"email":"a@b.c"}' } },
    );

  it('executes it with the toolset and the inputs, and prints the output', async () => {
    const { code, out } = await ran({ isSuccess: true, output: { a: 'x\u001B[2J' } });
    expect(code).toBe(0);
    expect(out).toBe('{\n  "a": "x\\u001b[2J"\n}\n');
    expect(sent().slice(1)).toEqual([
      {
        line: 'POST /v1/tools/onboard/execute?applicationSlug=workflow&toolsetId=ts-1&dryRun=true',
        body: { fields: { email: 'a@b.c' } },
      },
    ]);
  });

  it('that fails is exit code 1, with the reason', async () => {
    const { code, out, err } = await ran({ isSuccess: false, output: {}, errorMessage: 'Step a failed.' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('fairlead: Step a failed.\n');
  });
});
