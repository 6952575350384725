import type { CallableTool } from '@fairlead/connector-runtime/call';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { startedCall } from '../../testing/started-calls.ts';
import { catalogOf, connection, connectionsOf } from '../../testing/tool-calls.ts';
import { openCheckedCall } from './open-checked-call.ts';

const SECRET = 'secret-of-the-connection';

/** Opens a call that the runtime refuses. */
function open(execution: CallableTool['execution']) {
  const started = startedCall();
  const { tool } = started.target;
  const target = { ...started.target, tool: { ...tool, definition: { ...tool.definition, execution } } };
  const deps = {
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: connectionsOf(connection(), {
      kind: 'credential',
      credential: { version: 1, fields: {}, secrets: [SECRET] },
    }),
    runtime: {
      preview: () => ({
        type: 'refused' as const,
        errorMessage: 'no',
        inputIssues: [{ field: 'path', issue: `leads to ${SECRET}` }],
      }),
    },
  };
  return openCheckedCall(deps, testContext(), { ...started, target });
}

test('a request of the caller’s own that leads elsewhere is VALIDATION_ERROR, secrets masked', async () => {
  await expect(open({ type: 'passthrough' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'path', issue: 'leads to ***' }],
  });
});

test('a tool of the catalogue is opened without a preview', async () => {
  expect(await open(toolDefinition().execution)).toMatchObject({ kind: 'call' });
});
