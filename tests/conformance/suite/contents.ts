import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';

/** A red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** One silent sample. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';

/** A text content block. */
export const text = (value: string): ContentBlock & { type: 'text' } => ({ type: 'text', text: value });
/** An image content block. */
export const image: ContentBlock & { type: 'image' } = { type: 'image', data: PNG, mimeType: 'image/png' };
/** A resource inside a content block. */
export const embedded = (
  uri: string,
  mimeType: string,
  value: string,
): ContentBlock & { type: 'resource' } => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});

/** A result with text. */
export const textResult = (value: string): CallToolResult => ({ content: [text(value)] });

/** Tools with constant results, by name. */
export const RESULTS: ReadonlyMap<string, CallToolResult> = new Map([
  ['test_simple_text', textResult('This is a simple text response for testing.')],
  ['test_image_content', { content: [image] }],
  ['test_audio_content', { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }],
  [
    'test_embedded_resource',
    {
      content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    },
  ],
  [
    'test_multiple_content_types',
    {
      content: [
        text('Multiple content types test:'),
        image,
        embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    },
  ],
  [
    'test_error_handling',
    { content: [text('This tool intentionally returns an error for testing')], isError: true },
  ],
]);

/** A schema with the keywords that the suite checks. */
export const SCHEMA_2020_12 = {
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
