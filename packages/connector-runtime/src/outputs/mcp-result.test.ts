import { expect, it } from 'vitest';
import { outputOfMcpResult, withOutput } from './mcp-result.ts';

const content = [{ type: 'text', text: 'a' }];

it.each([
  ['its structured content', { content, structuredContent: { a: 1 }, _meta: {} }, { a: 1 }],
  ['its content', { content, isError: true, structuredContent: [1] }, { content }],
  ['nothing', {}, { content: [] }],
  [
    'itself, if it demands input',
    { resultType: 'input_required', inputRequests: {}, structuredContent: {} },
    { resultType: 'input_required', inputRequests: {}, structuredContent: {} },
  ],
])('the output of a result is %s', (_name, result, output) => {
  expect(outputOfMcpResult(result)).toEqual(output);
  expect(outputOfMcpResult(withOutput(result, output))).toEqual(output);
  expect(withOutput(result, output)).toEqual({ ...result, ...('content' in result ? {} : output) });
});
