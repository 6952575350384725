import { mcpResult, startTestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import type { TestMcpServer } from '@fairlead/connector-runtime/testing/mcp-server';
import type { JsonObject } from '@fairlead/connector-model/model';

/** A red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** One silent sample. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

const text = (value: string): JsonObject => ({ type: 'text', text: value });
const image: JsonObject = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, value: string): JsonObject => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});

/** The tools that the suite calls, with their results. The tools that would send the client something meanwhile only answer. */
const RESULTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['test_simple_text', { content: [text('This is a simple text response for testing.')] }],
  ['test_image_content', { content: [image] }],
  ['test_audio_content', { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }],
  [
    'test_embedded_resource',
    {
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    },
  ],
  [
    'test_multiple_content_types',
    {
      content: [
        text('Multiple content types test:'),
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    },
  ],
  [
    'test_error_handling',
    { content: [text('This tool intentionally returns an error for testing')], isError: true },
  ],
  ['test_tool_with_logging', { content: [text('Done.')] }],
  ['test_tool_with_progress', { content: [text('Done.')] }],
  ['test_sampling', { content: [text('Nothing was asked.')] }],
  ['test_elicitation', { content: [text('Nothing was asked.')] }],
  ['test_elicitation_sep1034_defaults', { content: [text('Nothing was asked.')] }],
  ['test_elicitation_sep1330_enums', { content: [text('Nothing was asked.')] }],
]);

/** A schema with the keywords that the suite looks for. */
const SCHEMA_2020_12: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const tools: readonly JsonObject[] = [
  ...[...RESULTS.keys()].map((name) => ({
    name,
    description: `The tool ${name} of the suite.`,
    inputSchema: { type: 'object', properties: {} },
  })),
  { name: 'json_schema_2020_12_tool', description: 'Has many keywords.', inputSchema: SCHEMA_2020_12 },
];

/** Starts an MCP server with the tools that the suite of the Model Context Protocol calls. */
export function startSuiteTools(): Promise<TestMcpServer> {
  return startTestMcpServer(({ id, method, params }) => {
    if (method === 'tools/list') return { body: mcpResult(id, { tools }) };
    const result = RESULTS.get(params?.name ?? '');
    return method === 'tools/call' && result !== undefined
      ? { body: mcpResult(id, result) }
      : { status: 404 };
  });
}
