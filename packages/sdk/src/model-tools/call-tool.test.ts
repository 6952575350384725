import { afterEach, describe, expect, it } from 'vitest';
import { FairleadError, FairleadTimeoutError } from '../errors.ts';
import { Fairlead } from '../fairlead.ts';
import { refusal } from '../testing/api-server.ts';
import type { Reply } from '../testing/api-server.ts';
import { API_KEY, startToolApi, succeeded } from '../testing/tool-api.ts';
import type { ToolApi } from '../testing/tool-api.ts';
import { rememberApprovals } from './approvals.ts';
import { callTool } from './call-tool.ts';
import type { CallOutcome, CallTarget } from './call-tool.ts';
import { loadTools } from './load-tools.ts';

let api: ToolApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const TARGET: CallTarget = {
  toolSlug: 'crm-create-contact',
  applicationSlug: 'crm',
  toolsetId: undefined,
  connectionId: undefined,
  endUserId: undefined,
  schemaProfile: undefined,
};

/** The outcomes of calls to an API that gives these responses in turn. */
async function outcomes(
  replies: readonly Reply[],
  calls: readonly unknown[] = [{ name: 'Ada' }],
  target: Partial<CallTarget> = {},
): Promise<CallOutcome[]> {
  api = await startToolApi((_request, index) => replies[index] ?? { status: 500 });
  const approvals = rememberApprovals();
  const ended: CallOutcome[] = [];
  for (const inputs of calls) {
    ended.push(
      await callTool(api.client, { ...TARGET, ...target }, { inputs, signal: undefined, approvals }),
    );
  }
  return ended;
}

async function textOf(reply: Reply): Promise<string> {
  const [outcome] = await outcomes([reply]);
  if (outcome === undefined || outcome.isSuccess) throw new Error('The call succeeded.');
  return outcome.text;
}

describe('a call', () => {
  it('executes the tool of its application with the selection’s connection, toolset, end user and dialect', async () => {
    const query = { toolsetId: 'set', connectionId: 3, endUserId: 'u 1', schemaProfile: 'gemini' } as const;
    const [outcome] = await outcomes([succeeded({ id: 'c1' })], [{ name: 'Ada' }], query);
    expect(outcome).toMatchObject({ isSuccess: true, output: { id: 'c1' }, result: { historyId: 7 } });
    expect(api?.executions).toEqual([
      {
        toolSlug: 'crm-create-contact',
        query: { applicationSlug: 'crm', ...query, connectionId: '3' },
        fields: { name: 'Ada' },
      },
    ]);
  });

  it('of a workflow names no connection, which the API would refuse', async () => {
    const workflow = { toolSlug: 'onboard', applicationSlug: 'workflow', definition: { name: 'onboard' } };
    api = await startToolApi(() => succeeded({}), [workflow]);
    const [tool] = await loadTools(api.client, { toolsetId: 'set', connectionId: 3 }, undefined);
    await tool?.call({});
    expect(api.executions[0]?.query).toEqual({
      applicationSlug: 'workflow',
      toolsetId: 'set',
      schemaProfile: 'anthropic',
    });
  });

  it('of a workflow may take longer than the installation waits for one; of another tool, as long as any request', async () => {
    const given: unknown[] = [];
    const execute = (...[, , options]: Parameters<Fairlead['tools']['execute']>) => {
      given.push(options?.timeoutMs);
      return Promise.reject(new FairleadTimeoutError('Too long.'));
    };
    const client = { tools: { execute } };
    const o = { inputs: {}, signal: undefined, approvals: rememberApprovals() };
    await callTool(client, { ...TARGET, applicationSlug: 'workflow' }, o);
    await callTool(client, TARGET, o);
    expect(given).toEqual([370_000, undefined]);
  });

  it('without inputs of an object is not made', async () => {
    const ended = await outcomes([], ['text', null, [1]]);
    for (const outcome of ended)
      expect(outcome).toEqual({ isSuccess: false, text: 'The inputs have to be a JSON object.' });
    expect(api?.executions).toEqual([]);
  });
});

describe('a failure is told in words', () => {
  it('of the vendor', async () => {
    const body = { isSuccess: false, errorMessage: 'E-mail is taken.', output: {}, historyId: 8 };
    expect(await textOf({ status: 200, body })).toBe('The tool failed: E-mail is taken.');
  });

  it('of wrong inputs, field by field', async () => {
    const details = [
      { field: 'fields.name', issue: 'is required' },
      { field: 'fields.age', issue: 'must be a number' },
    ];
    expect(await textOf(refusal(400, 'VALIDATION_ERROR', {}, { details }))).toBe(
      'The call was refused (VALIDATION_ERROR): Refused: VALIDATION_ERROR. fields.name: is required; fields.age: must be a number',
    );
  });

  it('of wrong inputs, each once, where the message names them', async () => {
    const details = [{ field: 'fields.name', issue: 'is required' }];
    const message = 'The request is not valid. fields.name: is required';
    expect(await textOf(refusal(400, 'VALIDATION_ERROR', {}, { message, details }))).toBe(
      `The call was refused (VALIDATION_ERROR): ${message}`,
    );
  });

  it('of a conflict, with its choices', async () => {
    const candidates = ['crm', 'shop'];
    expect(await textOf(refusal(409, 'AMBIGUOUS_TOOL', {}, { candidates }))).toContain(
      'Candidates: crm, shop',
    );
  });

  it('of a budget, with the time to wait', async () => {
    expect(await textOf(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '90' }))).toContain(
      'Try again in 90 seconds.',
    );
  });

  it('of a deadline, and of a proxy: whether the call took effect is unknown', async () => {
    expect(await textOf(refusal(504, 'TIMEOUT'))).toContain('unknown whether the call took effect');
    expect(await textOf({ status: 502, body: '<html>' })).toContain('unknown whether the call took effect');
  });

  it('of an earlier attempt that still runs: it is not refused, and whether it took effect is unknown', async () => {
    expect(await textOf(refusal(409, 'IDEMPOTENCY_IN_PROGRESS'))).toBe(
      'The call still runs. It is unknown whether the call took effect: check before you repeat it.',
    );
  });

  it('of an API that does not answer, without its address', async () => {
    const client = new Fairlead({ baseUrl: 'http://127.0.0.1:1', apiKey: API_KEY, maxRetries: 0 });
    const approvals = rememberApprovals();
    const outcome = await callTool(client, TARGET, { inputs: {}, signal: undefined, approvals });
    expect(outcome).toMatchObject({
      isSuccess: false,
      text: expect.stringContaining('No answer arrived') as string,
    });
    expect(outcome).not.toMatchObject({ text: expect.stringMatching(/127\.0\.0\.1|fairlead_/) as string });
  });
});

describe('what no model can act upon is thrown', () => {
  it.each([
    [401, refusal(401, 'UNAUTHORIZED')],
    [302, { status: 302, headers: { location: 'https://other.example' } }],
  ] as const)('an answer of %i', async (status, reply) => {
    const thrown = await outcomes([reply]).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(FairleadError);
    expect(thrown).toMatchObject({ status });
  });

  it('the reason of the signal, which ends the request', async () => {
    const control = new AbortController();
    const reason = new Error('the user left');
    let isClosed = false;
    api = await startToolApi(() => (response) => {
      response.on('close', () => (isClosed = true));
      control.abort(reason);
    });
    const approvals = rememberApprovals();
    const call = callTool(api.client, TARGET, { inputs: {}, signal: control.signal, approvals });
    await expect(call).rejects.toBe(reason);
    await expect.poll(() => isClosed).toBe(true);
  });
});

describe('a call that has to be approved', () => {
  const awaits = (approvalId: string): Reply => refusal(409, 'APPROVAL_REQUIRED', {}, { approvalId });
  const approvalIds = (): unknown[] =>
    api?.executions.map(({ query }) => ('approvalId' in query ? query.approvalId : undefined)) ?? [];

  it('is reported as pending, and runs when it is made again after the approval', async () => {
    const replies = [
      awaits('a1'),
      awaits('a1'),
      awaits('a1'),
      succeeded({ id: 'c1' }),
      awaits('a2'),
      awaits('a2'),
    ];
    const calls = [
      { name: 'Ada', email: 'a@b.c' },
      { email: 'a@b.c', name: 'Ada' },
      { name: 'Ada', email: 'a@b.c' },
      { name: 'Ada', email: 'a@b.c' },
    ];
    const [pending, still, done, again] = await outcomes(replies, calls);
    for (const outcome of [pending, still]) {
      expect(outcome).toMatchObject({
        isSuccess: false,
        text: expect.stringMatching(
          /^Nothing was executed: a person has to approve this call first \(approval a1\)/,
        ) as string,
      });
    }
    expect(done).toMatchObject({ isSuccess: true, output: { id: 'c1' } });
    expect(again).toMatchObject({
      isSuccess: false,
      text: expect.stringContaining('(approval a2)') as string,
    });
    expect(approvalIds()).toEqual([undefined, 'a1', 'a1', 'a1', undefined, 'a2']);
  });

  it('runs at once where it was approved since another process made it', async () => {
    const [outcome] = await outcomes([awaits('a1'), succeeded({ id: 'c1' })]);
    expect(outcome).toMatchObject({ isSuccess: true, output: { id: 'c1' } });
    expect(approvalIds()).toEqual([undefined, 'a1']);
  });

  it('is reported as rejected, once', async () => {
    const replies = [awaits('a1'), awaits('a1'), refusal(403, 'FORBIDDEN'), awaits('a2'), awaits('a2')];
    const ended = await outcomes(replies, [{}, {}, {}]);
    expect(ended.map((outcome) => !outcome.isSuccess && outcome.text)).toEqual([
      expect.stringContaining('(approval a1)'),
      'The call was refused (FORBIDDEN): Refused: FORBIDDEN.',
      expect.stringContaining('(approval a2)'),
    ]);
  });
});
