import { unknownSlug } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { catalogOf } from '../../testing/tool-calls.ts';
import { refuseUnknownTool } from './refuse-unknown-tool.ts';

test('throws what the catalogue says', async () => {
  const refusal = unknownSlug('tool', 'crm-lst', ['crm-list']);
  const catalog = { resolveTool: () => Promise.reject(refusal) };
  await expect(refuseUnknownTool({ catalog }, testContext(), 'crm-lst', '')).rejects.toBe(refusal);
});

test('throws NOT_FOUND for a tool that the catalogue has got meanwhile', async () => {
  const definition = toolDefinition();
  const catalog = catalogOf(definition, connectorHead());
  await expect(refuseUnknownTool({ catalog }, testContext(), definition.toolSlug, '')).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'The tool does not exist.',
  });
});
