import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { passedObject, passedValue, recordId, slug, text } from '@fairlead/rest-kit/fields';
import { namesOf, ON_ERROR } from '@fairlead/rest-records/enums';

const MAX_STEPS = 50;
/** Longest expression, including its leading `=`. */
const MAX_EXPRESSION = 4097;

/** The path parameters of one workflow. */
export const workflowParams = z.object({ workflowToken: text(1, 200) });

/** A JSONata expression, marked by a leading `=`. */
const expression = text(1, MAX_EXPRESSION).regex(/^=/, 'must be an expression: begin with =');

const step = z
  .object({
    id: text(1, 64).describe('Unique in the workflow: letters, digits, hyphens and underscores.'),
    toolSlug: slug.describe('A tool of the catalogue; a workflow cannot run another one.'),
    applicationSlug: slug.exactOptional(),
    connectionId: recordId.exactOptional().describe('Otherwise the toolset’s connection is used.'),
    fields: passedObject.default({}).describe('The tool’s inputs. Strings that begin with `=` are JSONata.'),
    when: expression
      .exactOptional()
      .describe(
        'JSONata after `=`, without `item`. Unless it is true, the step is skipped, and absent from `steps`.',
      ),
    forEach: expression
      .exactOptional()
      .describe('JSONata after `=`: the items to call the tool for, at most 1000, one after the other.'),
    onError: z.enum(namesOf(ON_ERROR)).default('stop').describe('What happens when the step fails.'),
  })
  .transform(({ onError, fields, ...members }) => ({
    ...members,
    fieldsJson: jsonBytes(fields),
    onError: ON_ERROR[onError],
  }));

/** The members of a workflow in a request. */
export const workflowMembers = {
  name: text(1, 200),
  slug: slug.describe('Unique in the account, and not the slug of a tool.'),
  description: text(0, 2000)
    .nullable()
    .transform((text) => text ?? ''),
  inputSchema: passedObject.describe(
    'JSON Schema 2020-12 of the inputs, at most 64 KiB. Only the schema of an input itself may have format: file, not one of a part of it.',
  ),
  steps: z
    .array(step)
    .min(1)
    .max(MAX_STEPS)
    .describe(
      'Run in order. Expressions read `input`, `steps.<id>.{isSuccess,output,errorMessage}` and, inside forEach, `item`.',
    ),
  output: passedValue.describe(
    'Strings in it that begin with `=` are JSONata. Null: the outputs of the steps, by their ids. A value that is no object is put in the member `value`.',
  ),
} as const;
