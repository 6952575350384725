import type { CallOptions, ToolOutcome } from '@fairlead/connector-runtime/call';
import { systemClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { CallChanged } from '../../domain/call-changed.ts';
import { executionPorts } from '../../testing/execution-ports.ts';
import { toolDefinition } from '../../testing/fixtures.ts';
import { startedCall } from '../../testing/started-calls.ts';
import { connection, connectionsOf } from '../../testing/tool-calls.ts';
import { toolset } from '../../testing/toolsets.ts';
import { admitOpenedCall } from './admit-opened-call.ts';
import { callTool } from './call-tool.ts';
import { openCallCredential } from './open-call-credential.ts';

const SECRET = 'secret-of-the-connection';
const DONE: ToolOutcome = { isSuccess: true, output: {}, attempts: 1 };
const FAILED = {
  isSuccess: false,
  errorMessage: `no ${SECRET}`,
  attempts: 0,
  isUnauthorized: false,
} as const;

/** Calls the vendor for a toolset's call; while its session is opened, the stored toolset changes. */
async function call(o: {
  readonly whileOpening?: ReturnType<typeof toolset>;
  readonly outcome?: ToolOutcome;
  readonly retryClass?: 'readOnly' | 'unsafe';
}) {
  const ctx = testContext();
  const called: unknown[] = [];
  const held = { toolset: toolset() };
  const credential = { version: 1, fields: {}, secrets: [SECRET] };
  const ports = executionPorts({
    connections: connectionsOf(connection(), { kind: 'credential', credential }),
    toolsets: { find: () => Promise.resolve(held.toolset) },
    runtime: {
      async execute(sent: unknown, { beforeSend }: CallOptions): Promise<ToolOutcome> {
        held.toolset = o.whileOpening ?? toolset();
        const isWithdrawn = await beforeSend?.().then(
          () => false,
          () => true,
        );
        if (isWithdrawn === true) return { ...FAILED, isWithdrawn };
        called.push(sent);
        return o.outcome ?? DONE;
      },
      preview: () => ({ type: 'http' as const, method: 'GET', url: '', headers: {}, body: null }),
    },
  });
  const { target, ...started } = startedCall({ readAt: systemClock.now() });
  const tool = { ...target.tool, definition: toolDefinition({ retryClass: o.retryClass ?? 'readOnly' }) };
  const checked = { ...started, target: { ...target, tool, toolset: toolset() } };
  const opened = await openCallCredential(ports, ctx, checked.target, checked.inputs);
  if (opened.kind === 'none') throw new Error('The connection has a credential.');
  const admitted = await admitOpenedCall(ports, ctx, checked, opened.call);
  return { answer: await callTool(ports, ctx, checked, admitted), called: called.length };
}

test('the answer of the vendor has every secret of the credential that was used', async () => {
  const { answer, called } = await call({});
  expect(answer).toMatchObject({ outcome: DONE, attempts: 1, secrets: [SECRET] });
  expect(called).toBe(1);
});

test('a call whose toolset changes while its session is opened is not sent, and refused', async () => {
  const { answer, called } = await call({ whileOpening: toolset({ tools: [] }) });
  expect('refusal' in answer && answer.refusal).toBeInstanceOf(CallChanged);
  expect(called).toBe(0);
});

test('a call that too many others kept from being made is refused, without a secret in the words', async () => {
  const { answer } = await call({ outcome: { ...FAILED, isOverloaded: true } });
  expect(answer).toMatchObject({ refusal: { code: 'RATE_LIMIT_EXCEEDED', message: 'no ***' } });
});

test.each([
  [
    'readOnly',
    { refusal: { code: 'VALIDATION_ERROR', details: [{ field: 'fields.name', issue: 'is not ***' }] } },
  ],
  ['unsafe', { outcome: { isSuccess: false } }],
] as const)(
  'wrong inputs are a refusal of a call only if it has no effects: %s',
  async (retryClass, expected) => {
    const inputIssues = [{ field: 'fields.name', issue: `is not ${SECRET}` }];
    const { answer } = await call({ outcome: { ...FAILED, inputIssues }, retryClass });
    expect(answer).toMatchObject(expected);
  },
);
