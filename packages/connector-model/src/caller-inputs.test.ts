import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { callerInputs } from './caller-inputs.ts';
import type { JsonObject } from './json.ts';
import { compiled, getThing, problemsOf } from './testing/manifest.ts';

const schemaOf = (properties: JsonObject, required: readonly string[]): JsonObject =>
  callerInputs({ type: 'object', properties, required });

it('an input with a default is not required', () => {
  const model = { type: 'string', default: 'small' };
  expect(schemaOf({ model, text: { type: 'string' } }, ['model', 'text'])).toHaveProperty('required', [
    'text',
  ]);
  expect(schemaOf({ model }, ['model'])).not.toHaveProperty('required');
});

const withFile = (file: object): object => ({
  tools: [{ ...getThing, inputSchema: { type: 'object', properties: { id: { $ref: '#/schemas/file' } } } }],
  schemas: { file: { format: 'file', description: 'The file.', ...file } },
});

it('a file input describes each way to give a file, and accepts it', () => {
  const { inputSchema } = compiled({ ...withFile({ type: 'object' }) }).tools[0] ?? {};
  const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(inputSchema ?? false);
  for (const id of [
    { fileId: 'file_1' },
    { url: 'https://a.test/a.txt' },
    { base64: 'YQ==', name: 'a.txt' },
  ]) {
    expect(accepts({ id })).toBe(true);
    expect(inputSchema).toHaveProperty(
      ['properties', 'id', 'properties', Object.keys(id)[0] ?? '', 'type'],
      'string',
    );
  }
});

it.each([{ type: 'string' }, {}])(
  'a file input whose schema is %j is refused, because no file would fit it',
  (file) => {
    expect(problemsOf({ ...withFile(file) })).toMatchObject([
      {
        path: 'tools[0].inputSchema.properties.id.type',
        message: "must be 'object', because it is a file",
      },
    ]);
  },
);
